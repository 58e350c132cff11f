// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/task_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
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
  IdVector<TaskId, std::vector<TaskId>> predecessors(tasks_.size());
  for (const Edge& edge : edges_) {
    if (!tasks_.contains(edge.from) || !tasks_.contains(edge.to))
      throw InternalError(
          fmt::format("graph of tasks: an edge from the task {} to the task {}, but there are {}",
                      to_int(edge.from), to_int(edge.to), counted(size(), "task")));
    predecessors[edge.to].push_back(edge.from);
    edges_to_[edge.to].push_back(edge);
    edges_from_[edge.from].push_back(edge);
  }
  detail::TaskOrder order = detail::task_order(predecessors);
  if (!order.cycle.empty()) {
    std::vector<int> numbers;
    for (const TaskId task : order.cycle) numbers.push_back(to_int(task));
    throw InternalError(
        fmt::format("graph of tasks: the tasks {} wait for each other", fmt::join(numbers, ", ")));
  }
  order_ = std::move(order.tasks);
  for (const TaskId task : order_)
    for (const Edge& edge : edges_to(task)) levels_[task] = std::max(levels_[task], levels_[edge.from] + 1);
}

int TaskGraph::most_ranks(TaskId task, int ranks) const {
  return std::min(ranks, tasks_[task].most_ranks.value_or(ranks));
}

double critical_path(const TaskGraph& graph, const Allocation& allocation,
                     const Communication& communication) {
  const IdVector<TaskId, double> levels = bottom_levels(graph, allocation, communication);
  return levels.empty() ? 0 : *std::ranges::max_element(levels);
}

IdVector<TaskId, double> bottom_levels(const TaskGraph& graph, const Allocation& allocation,
                                       const Communication& communication) {
  IdVector<TaskId, double> levels(allocation.size());
  const std::vector<TaskId>& order = graph.topological_order();
  for (auto task = order.rbegin(); task != order.rend(); ++task) {
    double after = 0;
    for (const Edge& edge : graph.edges_from(*task))
      after = std::max(after, edge_seconds(edge, allocation, communication) + levels[edge.to]);
    levels[*task] = graph.seconds(*task, allocation[*task]) + after;
  }
  return levels;
}

double edge_seconds(const Edge& edge, const Allocation& allocation, const Communication& communication) {
  return seconds_between_groups(communication, edge.bytes, allocation[edge.from], allocation[edge.to]);
}

namespace {

/// Divides one length into m equal intervals and also into n equal intervals, where m and n have no common
/// divisor. Returns how many of the n intervals one of the m overlaps at most. In units of 1/m of one of the
/// n intervals, one of the m has the length n and begins at a multiple of n. The remainders of these
/// multiples by m take all values from 0 to m - 1. So the worst one begins m - 1 behind the beginning of an
/// interval.
std::int64_t most_overlaps(std::int64_t m, std::int64_t n) { return (m - 1 + n + m - 1) / m; }

}  // namespace

double seconds_between_groups(const Communication& communication, std::int64_t bytes, int from, int to) {
  if (bytes == 0) return 0;
  const cost::NetworkCost& network = communication.network;
  if (communication.travel == Travel::between_hosts) return network.seconds(bytes);
  const auto seconds = [&](std::int64_t messages, int ranks) {
    const double bytes_of_rank = static_cast<double>(bytes) / ranks;
    return static_cast<double>(messages) * network.latency_seconds + bytes_of_rank * network.seconds_per_byte;
  };
  const std::int64_t divisor = std::gcd(from, to), m = from / divisor, n = to / divisor;
  return std::max(seconds(most_overlaps(m, n), from), seconds(most_overlaps(n, m), to));
}

double travel_seconds(const Communication& communication, std::int64_t bytes, std::span<const int> from,
                      std::span<const int> to) {
  const bool has_one_host = communication.travel == Travel::between_hosts && !from.empty() && !to.empty() &&
                            from.front() == to.front();
  if (has_one_host || std::ranges::equal(from, to)) return 0;
  return seconds_between_groups(communication, bytes, static_cast<int>(from.size()),
                                static_cast<int>(to.size()));
}

}  // namespace tessera::group

namespace tessera::group::detail {
namespace {

/// Returns a cycle. `missing` has the number of predecessors of each task that could not be ordered. Every
/// task that is left has a predecessor that is left, so going back leads into a cycle.
std::vector<TaskId> cycle_among(const IdVector<TaskId, std::vector<TaskId>>& predecessors,
                                const IdVector<TaskId, std::int64_t>& missing) {
  const auto is_left = [&](TaskId task) { return missing[task] > 0; };
  TaskId task{};
  while (!is_left(task)) task = static_cast<TaskId>(to_int(task) + 1);
  std::vector<TaskId> path;
  while (std::ranges::find(path, task) == path.end()) {
    path.push_back(task);
    task = *std::ranges::find_if(predecessors[task], is_left);
  }
  path.erase(path.begin(), std::ranges::find(path, task));
  std::ranges::reverse(path);
  std::rotate(path.begin(), std::ranges::min_element(path), path.end());
  return path;
}

}  // namespace

TaskOrder task_order(const IdVector<TaskId, std::vector<TaskId>>& predecessors) {
  IdVector<TaskId, std::vector<TaskId>> successors(predecessors.size());
  IdVector<TaskId, std::int64_t> missing(predecessors.size());
  std::priority_queue<TaskId, std::vector<TaskId>, std::greater<>> ready;
  for (const TaskId task : predecessors.ids()) {
    missing[task] = std::ssize(predecessors[task]);
    if (missing[task] == 0) ready.push(task);
    for (const TaskId earlier : predecessors[task]) successors[earlier].push_back(task);
  }
  TaskOrder order;
  while (!ready.empty()) {
    const TaskId task = ready.top();
    ready.pop();
    order.tasks.push_back(task);
    for (const TaskId later : successors[task])
      if (--missing[later] == 0) ready.push(later);
  }
  if (std::ssize(order.tasks) < predecessors.size()) order.cycle = cycle_among(predecessors, missing);
  return order;
}

}  // namespace tessera::group::detail
