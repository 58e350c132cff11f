// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/detail/item_agreements.hpp"

#include <algorithm>

namespace tessera::group {

void ItemAgreements::end(std::int64_t item, int said) {
  Slot& slot = slot_of(item);
  slot.mine = said;
  MPI_Iallreduce(&slot.mine, &slot.all, 1, MPI_INT, MPI_BOR, communicator_, &slot.request);
}

int ItemAgreements::before(std::int64_t item) {
  if (item < delay()) return 0;
  Slot& slot = slot_of(item);
  MPI_Wait(&slot.request, MPI_STATUS_IGNORE);
  return slot.all;
}

bool ItemAgreements::may_begin(std::int64_t item) {
  for (Slot& slot : slots_) {
    int is_done = 0;
    if (slot.request != MPI_REQUEST_NULL) MPI_Test(&slot.request, &is_done, MPI_STATUS_IGNORE);
  }
  if (item < delay()) return true;
  const Slot& slot = slot_of(item);
  return slot.request == MPI_REQUEST_NULL && slot.all == 0;
}

int ItemAgreements::finish(std::int64_t count) {
  int all = 0;
  for (std::int64_t item = std::max<std::int64_t>(0, count - delay()); item < count; ++item) {
    Slot& slot = slot_of(item);
    MPI_Wait(&slot.request, MPI_STATUS_IGNORE);
    all |= slot.all;
  }
  return all;
}

}  // namespace tessera::group
