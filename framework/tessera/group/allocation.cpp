// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/allocation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/domain/error.hpp"
#include "tessera/group/detail/local_search.hpp"

namespace tessera::group {
namespace {

using detail::Allocation;
using detail::Candidate;

/// Returns the allocations from which the search begins, beside those of the other strategies.
std::vector<Allocation> search_starts(const TaskGraph& graph, int ranks) {
  std::vector<Allocation> result;
  const auto add = [&result](Allocation allocation) {
    if (std::ranges::find(result, allocation) == result.end()) result.push_back(std::move(allocation));
  };
  add(detail::divided_by_levels(graph, ranks));
  for (int own = ranks; own >= 1; own /= 2) add(detail::equal_ranks(graph, own));
  for (Allocation& allocation : detail::grown_on_paths(graph, ranks)) add(std::move(allocation));
  return result;
}

}  // namespace

double makespan_bound(const TaskGraph& graph, int ranks) {
  double area = 0;
  std::vector<int> most;
  for (int task = 0; task < graph.size(); ++task) {
    area += graph.tasks()[static_cast<std::size_t>(task)].cost.lower_bound(1);
    most.push_back(graph.most_ranks(task, ranks));
  }
  return std::max(critical_path(graph, most, {}), area / ranks);
}

GroupSchedule allocate(const TaskGraph& graph, int ranks, const AllocationSettings& settings) {
  if (ranks < 1) throw InputError(fmt::format("groups: the machine has {} ranks: give at least 1", ranks));
  const double bound = makespan_bound(graph, ranks);
  // The time of one schedule grows a little faster than the number of its tasks.
  const int most = settings.most_schedules.value_or(std::clamp(96000 / std::max(graph.size(), 1), 100, 6000));
  detail::ListScheduler scheduler(graph, settings.communication, ranks);
  detail::LocalSearch search(scheduler, bound, most);
  const auto scheduled = [&](const char* strategy, const Candidate& candidate) {
    scheduler.schedule(candidate.allocation, candidate.rules);
    GroupSchedule schedule = scheduler.result(strategy);
    schedule.lower_bound = bound;
    return schedule;
  };
  const Candidate data = search.evaluate(detail::equal_ranks(graph, ranks), {});
  if (settings.strategy == Strategy::data) return scheduled("data", data);
  const Candidate task = search.evaluate_exactly(Allocation(graph.tasks().size(), 1));
  if (settings.strategy == Strategy::task) return scheduled("task", task);
  const Candidate found = search.best_of({data, task}, search_starts(graph, ranks));
  if (found.makespan < std::min(data.makespan, task.makespan)) return scheduled("search", found);
  return task.makespan < data.makespan ? scheduled("task", task) : scheduled("data", data);
}

}  // namespace tessera::group
