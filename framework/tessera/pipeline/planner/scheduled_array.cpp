// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/planner/scheduled_array.hpp"

#include <algorithm>

namespace tessera {

SwapGroups::SwapGroups(const Algorithm& pipeline) : group_of_(static_cast<std::size_t>(pipeline.size()), 0) {
  for (const LoopDeclaration& loop : pipeline.loops())
    for (const auto& [from, to] : loop.feeds) join(from, to);
  for (std::vector<int>& members : groups_) std::ranges::sort(members);
}

void SwapGroups::join(int from, int to) {
  int& kept = group_of_[static_cast<std::size_t>(to)];
  if (kept == 0) {
    kept = static_cast<int>(groups_.size());
    groups_.push_back({to});
  }
  const int other = group_of_[static_cast<std::size_t>(from)];
  if (other == kept) return;
  std::vector<int> joining = {from};
  if (other > 0) joining.swap(groups_[static_cast<std::size_t>(other)]);
  for (int member : joining) {
    group_of_[static_cast<std::size_t>(member)] = kept;
    groups_[static_cast<std::size_t>(kept)].push_back(member);
  }
}

}  // namespace tessera
