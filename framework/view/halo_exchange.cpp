// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/view/halo_exchange.hpp"

namespace tessera {

void HaloExchange::make_exchange(const Transport& transport) {
  constexpr int tag = 0;  // the communicator is our own
  exchange_.emplace_back(communicator_.handle(), tag, fields_, transport);
}

void HaloExchange::finish(const ExecutionSpace& execution) {
  exchange_.front().finish(execution);
  for (std::size_t i = 0; i < sides_.size(); ++i)
    if (!sides_[i].box.empty())
      fill_boundary(execution, fields_[i].to, sides_[i].box, sides_[i].domain, sides_[i].conditions,
                    fields_[i].element_size);
}

}  // namespace tessera
