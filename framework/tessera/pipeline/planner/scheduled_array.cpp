// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/planner/scheduled_array.hpp"

#include <algorithm>

namespace tessera {

SwapGroups::SwapGroups(const Algorithm& pipeline) : group_of_(pipeline.table<std::size_t>()) {
  for (const LoopDeclaration& loop : pipeline.loops())
    for (const auto& [from, to] : loop.feeds) join(from, to);
  for (std::vector<ArrayId>& members : groups_) std::ranges::sort(members);
}

void SwapGroups::join(ArrayId from, ArrayId to) {
  std::size_t& kept = group_of_[to];
  if (kept == 0) {
    kept = groups_.size();
    groups_.push_back({to});
  }
  const std::size_t other = group_of_[from];
  if (other == kept) return;
  std::vector<ArrayId> joining = {from};
  if (other > 0) joining.swap(groups_[other]);
  for (ArrayId member : joining) {
    group_of_[member] = kept;
    groups_[kept].push_back(member);
  }
}

}  // namespace tessera
