// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/detail/task_order.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>

namespace tessera::group::detail {
namespace {

/// Returns a cycle. `missing` has the number of predecessors of each task that were not ordered: every task
/// that is left has a predecessor that is left, so that going back leads into a cycle.
std::vector<int> cycle_among(const std::vector<std::vector<int>>& predecessors,
                             const std::vector<std::int64_t>& missing) {
  const auto is_left = [&](int task) { return missing[static_cast<std::size_t>(task)] > 0; };
  int task = 0;
  while (!is_left(task)) ++task;
  std::vector<int> path;
  while (std::ranges::find(path, task) == path.end()) {
    path.push_back(task);
    task = *std::ranges::find_if(predecessors[static_cast<std::size_t>(task)], is_left);
  }
  path.erase(path.begin(), std::ranges::find(path, task));
  std::ranges::reverse(path);
  std::rotate(path.begin(), std::ranges::min_element(path), path.end());
  return path;
}

}  // namespace

TaskOrder task_order(const std::vector<std::vector<int>>& predecessors) {
  const int count = static_cast<int>(predecessors.size());
  std::vector<std::vector<int>> successors(predecessors.size());
  std::vector<std::int64_t> missing(predecessors.size());
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (int task = 0; task < count; ++task) {
    const std::vector<int>& before = predecessors[static_cast<std::size_t>(task)];
    missing[static_cast<std::size_t>(task)] = std::ssize(before);
    if (before.empty()) ready.push(task);
    for (const int earlier : before) successors[static_cast<std::size_t>(earlier)].push_back(task);
  }
  TaskOrder order;
  while (!ready.empty()) {
    const int task = ready.top();
    ready.pop();
    order.tasks.push_back(task);
    for (const int later : successors[static_cast<std::size_t>(task)])
      if (--missing[static_cast<std::size_t>(later)] == 0) ready.push(later);
  }
  if (order.tasks.size() < predecessors.size()) order.cycle = cycle_among(predecessors, missing);
  return order;
}

}  // namespace tessera::group::detail
