// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/view/halo_exchange.hpp"

#include "tessera/view/collectively.hpp"

namespace tessera {

void HaloExchange::make_exchange(const Transport& transport) {
  constexpr int tag = 0;  // the communicator is our own
  // Memory for buffers may lack on one rank only: all must know. Where windows are shared, their allocation
  // is collective itself.
  if (transport.shared_windows)
    exchange_.emplace_back(communicator_.handle(), tag, fields_, transport);
  else
    collectively(communicator_.handle(),
                 [&] { exchange_.emplace_back(communicator_.handle(), tag, fields_, transport); });
}

void HaloExchange::finish(const ExecutionSpace& execution) {
  exchange_.front().finish(execution);
  for (const Beyond& view : beyond_)
    fill_boundary(execution, view.array, view.box, view.domain, view.conditions, view.element_size);
}

}  // namespace tessera
