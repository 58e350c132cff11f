// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/view/halo_exchange.hpp"

#include "tessera/view/collectively.hpp"

namespace tessera {

void HaloExchange::make_exchange(const Transport& transport) {
  constexpr int tag = 0;  // the communicator has no other messages
  // The allocation of buffers may fail on one rank only, and all ranks must learn of it. With shared windows,
  // the allocation itself is collective.
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
