// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/allocation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tessera/domain/error.hpp"
#include "tessera/group/detail/pipeline_groups.hpp"

namespace tessera::group {
namespace {

using detail::PipelineGroup;
using detail::PipelineGroups;
using Groups = std::vector<PipelineGroup>;

/// Returns the ranks that the areas of all tasks need for a period, or infinity if a task takes longer on any
/// ranks.
double ranks_for_period(const TaskGraph& graph, int ranks, double period) {
  double area = 0;
  for (int task = 0; task < graph.size(); ++task) {
    double own = 1, own_area = 0;
    const auto& costs = graph.tasks()[static_cast<std::size_t>(task)].cost.lower_bounds();
    for (const cost::SharedCost& cost : costs) {
      if (cost.serial + cost.parallel <= period) continue;
      if (cost.serial >= period) return std::numeric_limits<double>::infinity();
      own = std::max(own, cost.parallel / (period - cost.serial));
    }
    if (own > graph.most_ranks(task, ranks) * (1 + 1e-12)) return std::numeric_limits<double>::infinity();
    for (const cost::SharedCost& cost : costs)
      own_area = std::max(own_area, cost.parallel + cost.serial * own);
    area += own_area;
  }
  return area / period;
}

/// Returns the least period between `low` and `high` of which `is_possible` is true, but for a relative error
/// of `exactness`. It must be true of `high`.
template <class Possible>
double least_period(double low, double high, double exactness, const Possible& is_possible) {
  while (high - low > exactness * high) {
    const double middle = low + 0.5 * (high - low);
    if (middle <= low || middle >= high) break;
    (is_possible(middle) ? high : low) = middle;
  }
  return high;
}

/// Gives the tasks of one item times: a group runs its tasks in a fixed cycle without gaps, which begins when
/// its first task can. Each other task waits for its turn in the cycle.
GroupSchedule in_cycles(const TaskGraph& graph, int ranks, const Communication& communication,
                        const Groups& groups, double period) {
  const auto count = static_cast<std::size_t>(graph.size());
  std::vector<std::size_t> group_of(count);
  std::vector<int> first_rank;
  int used = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    first_rank.push_back(used);
    used += groups[g].ranks;
    for (const int task : groups[g].tasks) group_of[static_cast<std::size_t>(task)] = g;
  }
  // These are the times in a cycle at which the next task of each group begins.
  std::vector<double> next(groups.size(), -1);
  std::vector<ScheduledTask> placed(count);
  for (const int task : graph.topological_order()) {
    const std::size_t g = group_of[static_cast<std::size_t>(task)];
    ScheduledTask& own = placed[static_cast<std::size_t>(task)];
    own.task = task;
    for (int i = 0; i < graph.most_ranks(task, groups[g].ranks); ++i) own.ranks.push_back(first_rank[g] + i);
    double ready = 0;
    for (const Edge& edge : graph.edges_to(task)) {
      const ScheduledTask& from = placed[static_cast<std::size_t>(edge.from)];
      const bool stays = stays_in_place(communication, from.ranks, own.ranks);
      ready =
          std::max(ready, from.finish + (stays ? 0
                                               : seconds_between_groups(communication, edge.bytes,
                                                                        static_cast<int>(from.ranks.size()),
                                                                        static_cast<int>(own.ranks.size()))));
    }
    if (next[g] < 0) next[g] = ready;
    const double turns = period > 0 ? std::max(0.0, std::ceil((ready - next[g]) / period - 1e-12)) : 0;
    own.start = std::max(ready, next[g] + turns * period);
    own.finish = own.start + graph.seconds(task, static_cast<double>(own.ranks.size()));
    next[g] = next[g] + own.finish - own.start;
  }
  GroupSchedule schedule;
  schedule.ranks = ranks;
  schedule.period = period;
  schedule.tasks = std::move(placed);
  put_in_order(schedule);
  return schedule;
}

std::vector<int> by_falling_seconds(const TaskGraph& graph) {
  std::vector<int> order(graph.tasks().size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::ranges::greater(), [&](int task) { return graph.seconds(task, 1); });
  return order;
}

/// Returns ways to divide the tasks, after these were improved.
std::vector<Groups> divisions(const TaskGraph& graph, int ranks, double bound) {
  const PipelineGroups pipeline(graph, ranks);
  const std::vector<int> falling = by_falling_seconds(graph);
  const double all_ranks = pipeline.period({{falling, ranks}});
  std::vector<Groups> result{{{graph.topological_order(), ranks}}, pipeline.single_ranks(falling)};
  const auto add_least = [&](const auto& divide) {
    Groups best;
    least_period(bound, all_ranks, 1e-6, [&](double period) {
      auto groups = divide(period);
      if (groups) best = std::move(*groups);
      return groups.has_value();
    });
    if (!best.empty()) result.push_back(std::move(best));
  };
  add_least([&](double period) { return pipeline.consecutive(graph.topological_order(), period); });
  add_least([&](double period) { return pipeline.consecutive(falling, period); });
  add_least([&](double period) { return pipeline.packed(falling, period); });
  const std::size_t plain = result.size();
  for (std::size_t i = 1; i < plain; ++i) {
    Groups better = result[i];
    pipeline.improve(better);
    if (better != result[i]) result.push_back(std::move(better));
  }
  return result;
}

std::string_view kind_of(const Groups& groups) {
  if (groups.size() == 1) return "data";
  const bool has_single_ranks =
      std::ranges::all_of(groups, [](const PipelineGroup& group) { return group.ranks == 1; });
  return has_single_ranks ? "task" : "pipeline";
}

}  // namespace

double period_bound(const TaskGraph& graph, int ranks) {
  double longest = 0, sum = 0;
  for (int task = 0; task < graph.size(); ++task) {
    const cost::TaskCost& cost = graph.tasks()[static_cast<std::size_t>(task)].cost;
    const double seconds = cost.lower_bound(graph.most_ranks(task, ranks));
    longest = std::max(longest, seconds);
    sum += seconds;
  }
  const auto is_possible = [&](double period) { return ranks_for_period(graph, ranks, period) <= ranks; };
  if (sum <= 0 || is_possible(longest)) return longest;
  // A bound must not be above the least period, which the upper end of the bisection is: hence its exactness.
  return least_period(longest, sum, 1e-13, is_possible) * (1 - 1e-12);
}

GroupSchedule allocate_stream(const TaskGraph& graph, int ranks, const Communication& communication) {
  if (ranks < 1) throw InputError(fmt::format("groups: the machine has {} ranks: give at least 1", ranks));
  GroupSchedule best;
  best.ranks = ranks;
  if (graph.size() == 0) return best;
  const PipelineGroups pipeline(graph, ranks);
  const double bound = period_bound(graph, ranks);
  for (const Groups& groups : divisions(graph, ranks, bound)) {
    GroupSchedule schedule = in_cycles(graph, ranks, communication, groups, pipeline.period(groups));
    schedule.strategy = kind_of(groups);
    schedule.lower_bound = bound;
    const double rounding = 1e-9 * schedule.period;
    const bool is_first = best.strategy.empty();
    if (is_first || schedule.period < best.period - rounding ||
        (schedule.period <= best.period + rounding && schedule.makespan < best.makespan))
      best = std::move(schedule);
  }
  return best;
}

}  // namespace tessera::group
