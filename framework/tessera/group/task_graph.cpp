// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/task_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <queue>

#include "tessera/domain/error.hpp"
#include "tessera/domain/text.hpp"

namespace tessera::group {

TaskGraph::TaskGraph(std::vector<Task> tasks, std::vector<Edge> edges)
    : tasks_(std::move(tasks)),
      edges_(std::move(edges)),
      edges_to_(tasks_.size()),
      edges_from_(tasks_.size()),
      levels_(tasks_.size(), 0) {
  std::vector<std::vector<int>> predecessors(tasks_.size());
  for (const Edge& edge : edges_) {
    if (std::min(edge.from, edge.to) < 0 || std::max(edge.from, edge.to) >= size())
      throw InternalError(
          fmt::format("graph of tasks: an edge from the task {} to the task {}, but there are {}", edge.from,
                      edge.to, counted(size(), "task")));
    predecessors[static_cast<std::size_t>(edge.to)].push_back(edge.from);
    edges_to_[static_cast<std::size_t>(edge.to)].push_back(edge);
    edges_from_[static_cast<std::size_t>(edge.from)].push_back(edge);
  }
  detail::TaskOrder order = detail::task_order(predecessors);
  if (!order.cycle.empty())
    throw InternalError(
        fmt::format("graph of tasks: the tasks {} wait for each other", fmt::join(order.cycle, ", ")));
  order_ = std::move(order.tasks);
  backward_order_.assign(order_.rbegin(), order_.rend());
  for (const int task : order_)
    for (const Edge& edge : edges_to(task)) {
      int& level = levels_[static_cast<std::size_t>(task)];
      level = std::max(level, levels_[static_cast<std::size_t>(edge.from)] + 1);
    }
}

int TaskGraph::most_ranks(int task, int ranks) const {
  return std::min(ranks, tasks_[static_cast<std::size_t>(task)].most_ranks.value_or(ranks));
}

}  // namespace tessera::group

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
