// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/task_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <queue>

#include "tessera/domain/error.hpp"
#include "tessera/domain/text.hpp"

namespace tessera::group {
namespace {

using IdOfName = std::map<std::string, int, std::less<>>;

int task_called(const IdOfName& ids, const std::string& name, const NamedEdge& edge) {
  const auto found = ids.find(name);
  if (found != ids.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [other, id] : ids) names.push_back(other);
  const std::string meant = suggestion(name, names);
  throw InputError(
      fmt::format("graph of tasks: array '{}' goes from '{}' to '{}', but there is no task '{}'{}",
                  edge.array, edge.from, edge.to, name, meant.empty() ? ": add it" : meant));
}

}  // namespace

TaskGraph::TaskGraph(std::vector<Task> tasks, const std::vector<NamedEdge>& edges)
    : tasks_(std::move(tasks)) {
  check_tasks();
  connect(edges);
  sort_tasks();
}

void TaskGraph::check_tasks() const {
  for (const Task& task : tasks_) {
    if (task.name.empty()) throw InputError("graph of tasks: a task has no name: give it one");
    if (task.most_ranks && *task.most_ranks < 1)
      throw InputError(fmt::format("graph of tasks: task '{}' may have at most {} ranks: give at least 1",
                                   task.name, *task.most_ranks));
  }
}

void TaskGraph::connect(const std::vector<NamedEdge>& edges) {
  IdOfName ids;
  for (int id = 0; id < size(); ++id)
    if (const std::string& name = tasks_[static_cast<std::size_t>(id)].name; !ids.emplace(name, id).second)
      throw InputError(fmt::format("graph of tasks: two tasks are called '{}': rename one", name));
  edges_to_.resize(tasks_.size());
  edges_from_.resize(tasks_.size());
  for (const NamedEdge& edge : edges) {
    const int from = task_called(ids, edge.from, edge), to = task_called(ids, edge.to, edge);
    if (edge.bytes < 0)
      throw InputError(
          fmt::format("graph of tasks: array '{}' from '{}' to '{}' has {} bytes: give at least 0",
                      edge.array, edge.from, edge.to, edge.bytes));
    const int place = static_cast<int>(edges_.size());
    edges_.push_back({from, to, edge.array, edge.bytes});
    edges_from_[static_cast<std::size_t>(from)].push_back(place);
    edges_to_[static_cast<std::size_t>(to)].push_back(place);
  }
}

void TaskGraph::sort_tasks() {
  std::vector<std::vector<int>> predecessors(tasks_.size());
  for (const Edge& edge : edges_) predecessors[static_cast<std::size_t>(edge.to)].push_back(edge.from);
  detail::TaskOrder order = detail::task_order(predecessors);
  if (!order.cycle.empty()) refuse_cycle(order.cycle);
  order_ = std::move(order.tasks);
  backward_order_.assign(order_.rbegin(), order_.rend());
  levels_.assign(tasks_.size(), 0);
  for (const int task : order_)
    for (const int earlier : predecessors[static_cast<std::size_t>(task)])
      levels_[static_cast<std::size_t>(task)] =
          std::max(levels_[static_cast<std::size_t>(task)], levels_[static_cast<std::size_t>(earlier)] + 1);
}

void TaskGraph::refuse_cycle(const std::vector<int>& cycle) const {
  std::string names;
  for (const int member : cycle)
    names += fmt::format("'{}' -> ", tasks_[static_cast<std::size_t>(member)].name);
  throw InputError(fmt::format("graph of tasks: tasks wait for each other: {}'{}': remove one of these edges",
                               names, tasks_[static_cast<std::size_t>(cycle.front())].name));
}

bool TaskGraph::is_well_balanced() const {
  std::map<int, int> first_of_level;
  for (int id = 0; id < size(); ++id) {
    const auto [entry, is_new] = first_of_level.emplace(levels_[static_cast<std::size_t>(id)], id);
    const Task &task = tasks_[static_cast<std::size_t>(id)],
               &first = tasks_[static_cast<std::size_t>(entry->second)];
    if (task.type != first.type || !(task.cost == first.cost) || task.most_ranks != first.most_ranks ||
        edges_to(id).size() != edges_to(entry->second).size() ||
        edges_from(id).size() != edges_from(entry->second).size())
      return false;
  }
  std::map<std::pair<int, int>, std::int64_t> bytes_between;
  return std::ranges::all_of(edges_, [&](const Edge& edge) {
    const std::pair between(levels_[static_cast<std::size_t>(edge.from)],
                            levels_[static_cast<std::size_t>(edge.to)]);
    return bytes_between.emplace(between, edge.bytes).first->second == edge.bytes;
  });
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
