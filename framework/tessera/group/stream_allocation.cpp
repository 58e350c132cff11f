// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/allocation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "tessera/domain/error.hpp"

namespace tessera::group {
namespace {

/// Tasks that the same ranks run for each item of a stream.
struct PipelineGroup {
  std::vector<TaskId> tasks;
  int ranks = 1;

  friend bool operator==(const PipelineGroup&, const PipelineGroup&) = default;
};

using Groups = std::vector<PipelineGroup>;

/// A load counts as lower than another one if it is less than this share of it. Rounding errors do not count.
constexpr double lower_load = 1 - 1e-9;

/// Divisions of the tasks of a stream into groups.
class PipelineGroups {
 public:
  PipelineGroups(const TaskGraph& graph, int ranks) : graph_(graph), ranks_(ranks) {}

  /// Returns the seconds of a group for one item.
  double load(const PipelineGroup& group) const {
    double sum = 0;
    for (const TaskId task : group.tasks) sum += seconds(task, group.ranks);
    return sum;
  }

  /// Returns the greatest load of a group.
  double period(const Groups& groups) const { return groups.empty() ? 0 : load(groups[heaviest(groups)]); }

  /// Returns groups of consecutive tasks of an order with a period of at most this one, or nothing if they
  /// would need more ranks than there are.
  std::optional<Groups> consecutive(const std::vector<TaskId>& order, double period) const {
    const std::size_t count = order.size();
    // For the first `end` tasks: the fewest ranks, and the ranks and the first task of the last group.
    constexpr int none = std::numeric_limits<int>::max() / 2;
    std::vector<int> fewest(count + 1, none), ranks_of_last(count + 1);
    std::vector<std::size_t> first_of_last(count + 1);
    fewest[0] = 0;
    for (std::size_t begin = 0; begin < count; ++begin) {
      if (fewest[begin] >= ranks_) continue;
      PipelineGroup group;
      for (std::size_t end = begin + 1; end <= count; ++end) {
        group.tasks.push_back(order[end - 1]);
        group.ranks = fewest_ranks(group, group.ranks, period);
        if (fewest[begin] + group.ranks > ranks_) break;
        if (fewest[begin] + group.ranks >= fewest[end]) continue;
        fewest[end] = fewest[begin] + group.ranks;
        ranks_of_last[end] = group.ranks;
        first_of_last[end] = begin;
      }
    }
    if (fewest[count] > ranks_) return std::nullopt;
    Groups groups;
    for (std::size_t end = count; end > 0; end = first_of_last[end]) {
      PipelineGroup& group = groups.emplace_back();
      group.ranks = ranks_of_last[end];
      for (std::size_t i = first_of_last[end]; i < end; ++i) group.tasks.push_back(order[i]);
    }
    std::ranges::reverse(groups);
    return groups;
  }

  /// Packs the tasks of an order into groups, first-fit. Returns nothing if they need more ranks than there
  /// are.
  std::optional<Groups> packed(const std::vector<TaskId>& order, double period) const {
    Groups groups;
    std::vector<double> loads;
    int used = 0;
    for (const TaskId task : order) {
      std::size_t place = 0;
      while (place < groups.size() && loads[place] + seconds(task, groups[place].ranks) > period) ++place;
      if (place == groups.size()) {
        PipelineGroup group{{task}, 1};
        group.ranks = fewest_ranks(group, 1, period);
        used += group.ranks;
        if (used > ranks_) return std::nullopt;
        loads.push_back(load(group));
        groups.push_back(std::move(group));
        continue;
      }
      groups[place].tasks.push_back(task);
      loads[place] += seconds(task, groups[place].ranks);
    }
    return groups;
  }

  /// Returns groups of one rank each; each task of an order goes to the group with the lowest load.
  Groups single_ranks(const std::vector<TaskId>& order) const {
    Groups groups(std::min(order.size(), static_cast<std::size_t>(ranks_)));
    std::vector<double> loads(groups.size());
    for (const TaskId task : order) {
      const auto place = static_cast<std::size_t>(std::ranges::min_element(loads) - loads.begin());
      groups[place].tasks.push_back(task);
      loads[place] += seconds(task, 1);
    }
    return groups;
  }

  /// Moves tasks and ranks between groups as long as the period falls. Ranks that are left go where they
  /// help.
  void improve(Groups& groups) const {
    constexpr int most_moves = 1000;
    add_free_ranks(groups);
    for (int moves = 0; moves < most_moves; ++moves) {
      const std::size_t place = heaviest(groups);
      if (!move_rank(groups, place) && !move_task(groups, place) && !swap_tasks(groups, place)) return;
    }
  }

 private:
  double seconds(TaskId task, int ranks) const {
    return graph_.seconds(task, graph_.most_ranks(task, ranks));
  }

  std::size_t heaviest(const Groups& groups) const {
    std::size_t place = 0;
    double most = -1;
    for (std::size_t i = 0; i < groups.size(); ++i)
      if (const double own = load(groups[i]); own > most) {
        most = own;
        place = i;
      }
    return place;
  }

  /// Returns the fewest ranks for a group whose load must be at most `period`, or one rank more than there
  /// are if these are too few.
  int fewest_ranks(const PipelineGroup& group, int at_least, double period) const {
    const auto fits = [&](int ranks) { return load({group.tasks, ranks}) <= period; };
    if (at_least > ranks_ || !fits(ranks_)) return ranks_ + 1;
    if (fits(at_least)) return at_least;
    int low = at_least + 1, high = ranks_;
    while (low < high) {
      const int middle = low + (high - low) / 2;
      if (fits(middle))
        high = middle;
      else
        low = middle + 1;
    }
    return low;
  }

  void add_free_ranks(Groups& groups) const {
    int free = ranks_;
    for (const PipelineGroup& group : groups) free -= group.ranks;
    while (free > 0) {
      PipelineGroup& group = groups[heaviest(groups)];
      PipelineGroup larger = group;
      // One more rank may not help where more of them do: the entries of a table are steps.
      for (; free > 0 && load(larger) >= load(group) * lower_load; --free) ++larger.ranks;
      if (load(larger) >= load(group) * lower_load) return;
      group = larger;
    }
  }

  /// Moves a task of a group to another one, if the load of both is then lower than that of the group was.
  bool move_task(Groups& groups, std::size_t own_place) const {
    const double before = load(groups[own_place]);
    if (groups[own_place].tasks.size() < 2) return false;
    for (std::size_t place = 0; place < groups[own_place].tasks.size(); ++place)
      for (std::size_t other = 0; other < groups.size(); ++other) {
        const TaskId task = groups[own_place].tasks[place];
        if (other == own_place ||
            load(groups[other]) + seconds(task, groups[other].ranks) >= before * lower_load)
          continue;
        groups[own_place].tasks.erase(groups[own_place].tasks.begin() + static_cast<std::ptrdiff_t>(place));
        groups[other].tasks.push_back(task);
        return true;
      }
    return false;
  }

  /// Exchanges a task of a group for one of another group, if the load of both is then lower.
  bool swap_tasks(Groups& groups, std::size_t own_place) const {
    const double before = load(groups[own_place]);
    for (TaskId& own : groups[own_place].tasks)
      for (std::size_t other = 0; other < groups.size(); ++other) {
        if (other == own_place) continue;
        for (TaskId& theirs : groups[other].tasks) {
          std::swap(own, theirs);
          if (std::max(load(groups[own_place]), load(groups[other])) < before * lower_load) return true;
          std::swap(own, theirs);
        }
      }
    return false;
  }

  /// Gives a group a rank of another one, if the load of both is then lower.
  bool move_rank(Groups& groups, std::size_t own_place) const {
    const double before = load(groups[own_place]);
    PipelineGroup larger = groups[own_place];
    ++larger.ranks;
    if (load(larger) >= before * lower_load) return false;
    for (std::size_t other = 0; other < groups.size(); ++other) {
      if (other == own_place || groups[other].ranks < 2) continue;
      if (load({groups[other].tasks, groups[other].ranks - 1}) >= before * lower_load) continue;
      --groups[other].ranks;
      groups[own_place] = std::move(larger);
      return true;
    }
    return false;
  }

  const TaskGraph& graph_;
  int ranks_;
};

/// Returns the ranks that the areas of all tasks need for a period, or infinity if a task takes longer on any
/// number of ranks.
double ranks_for_period(const TaskGraph& graph, int ranks, double period) {
  double area = 0;
  for (const TaskId task : graph.tasks().ids()) {
    double own = 1, own_area = 0;
    const auto& costs = graph.tasks()[task].cost.lower_bounds();
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

/// Returns the shortest period between `low` and `high` that `is_possible` accepts, up to a relative error of
/// `exactness`. `is_possible` must accept `high`.
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
  IdVector<TaskId, std::size_t> group_of(graph.size());
  std::vector<int> first_rank;
  int used = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    first_rank.push_back(used);
    used += groups[g].ranks;
    for (const TaskId task : groups[g].tasks) group_of[task] = g;
  }
  // These are the times in a cycle when the next task of each group begins.
  std::vector<double> next(groups.size(), -1);
  IdVector<TaskId, ScheduledTask> placed(graph.size());
  for (const TaskId task : graph.topological_order()) {
    const std::size_t g = group_of[task];
    ScheduledTask& own = placed[task];
    own.task = task;
    for (int i = 0; i < graph.most_ranks(task, groups[g].ranks); ++i) own.ranks.push_back(first_rank[g] + i);
    double ready = 0;
    for (const Edge& edge : graph.edges_to(task)) {
      const ScheduledTask& from = placed[edge.from];
      ready = std::max(ready, from.finish + travel_seconds(communication, edge.bytes, from.ranks, own.ranks));
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
  schedule.tasks = std::move(placed.values());
  put_in_order(schedule);
  return schedule;
}

std::vector<TaskId> by_falling_seconds(const TaskGraph& graph) {
  std::vector<TaskId> order;
  for (const TaskId task : graph.tasks().ids()) order.push_back(task);
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&](TaskId task) { return graph.seconds(task, 1); });
  return order;
}

/// Returns ways to divide the tasks into groups, and the improved ones that they lead to.
std::vector<Groups> divisions(const TaskGraph& graph, int ranks, double bound) {
  const PipelineGroups pipeline(graph, ranks);
  const std::vector<TaskId> falling = by_falling_seconds(graph);
  const double period_on_all_ranks = pipeline.period({{falling, ranks}});
  std::vector<Groups> result{{{graph.topological_order(), ranks}}, pipeline.single_ranks(falling)};
  // Adds the groups of the shortest period that `divide` returns groups for.
  const auto add_least = [&](const auto& divide) {
    Groups best;
    least_period(bound, period_on_all_ranks, 1e-6, [&](double period) {
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

std::string_view strategy_of(const Groups& groups) {
  if (groups.size() == 1) return "data";
  const bool has_single_ranks =
      std::ranges::all_of(groups, [](const PipelineGroup& group) { return group.ranks == 1; });
  return has_single_ranks ? "task" : "pipeline";
}

}  // namespace

double period_bound(const TaskGraph& graph, int ranks) {
  double longest = 0, sum = 0;
  for (const TaskId task : graph.tasks().ids()) {
    const cost::TaskCost& cost = graph.tasks()[task].cost;
    const double seconds = cost.lower_bound(graph.most_ranks(task, ranks));
    longest = std::max(longest, seconds);
    sum += seconds;
  }
  const auto is_possible = [&](double period) { return ranks_for_period(graph, ranks, period) <= ranks; };
  if (sum <= 0 || is_possible(longest)) return longest;
  // The bisection returns a period that is a little too long. The factor makes it a lower bound.
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
    schedule.strategy = strategy_of(groups);
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
