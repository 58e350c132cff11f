// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "tessera/group/graph_costs.hpp"
#include "tessera/group/relaxation.hpp"
#include "tessera/group/schedule.hpp"

namespace tessera::group {

/// A way to allocate ranks to the tasks of a program that runs once.
enum class Strategy {
  /// Every task on all ranks that it can use, one after the other: pure data parallelism.
  data,
  /// Every task on one rank, as many side by side as there are ranks: pure task parallelism.
  task,
  /// Two-step allocation and scheduling (TSAS): the relaxation, rounded to powers of two that are bounded,
  /// and then the prioritised scheduling algorithm (PSA), of Ramaswamy, Sapatnekar and Banerjee.
  tsas,
  /// Critical path reduction (CPR), after Radulescu, Nicolescu, van Gemund and Jonker, "CPR: mixed task and
  /// data parallel scheduling for distributed systems", IPDPS 2001: every task begins with one rank, and
  /// tasks on the critical path grow as long as the makespan falls.
  cpr,
  /// A local search from the allocations of the other strategies, from other roundings of the relaxation, and
  /// from the ranks divided among the tasks of each level.
  search,
  /// The best of all, by the estimated makespan. So it is never worse than the simplest one.
  mixed,
};

/// The names of the strategies, in the order of Strategy.
inline constexpr std::string_view strategy_names[] = {"data", "task", "tsas", "cpr", "search", "mixed"};

/// Returns the name of a strategy.
std::string_view name_of(Strategy strategy);

/// The settings on which an allocation depends, beside the graph and the number of ranks.
struct AllocationSettings {
  /// The strategy.
  Strategy strategy = Strategy::mixed;
  /// The costs of messages between tasks, and the way in which arrays travel.
  Communication communication;
  /// The most schedules that CPR and the search try each; `mixed` tries twice as many in all. Without it,
  /// they try as many as keep the median time for 60 tasks on 1024 ranks under a tenth of a second; the worst
  /// programs take about 0.2 s (see benchmarks/groups/README.md).
  std::optional<int> most_schedules;
};

/// Allocates ranks to the tasks of a program, and schedules them. Deterministic. The schedule has the name of
/// the strategy that made it: for `mixed`, that of the best one, the first of equal ones in the order of
/// Strategy. Its lower bound is that of the relaxation. Throws InputError if there is no rank.
GroupSchedule allocate(const TaskGraph& graph, int ranks, const AllocationSettings& settings = {});

/// Returns the greatest number of ranks that TSAS gives a task: the power of two PB that minimises the factor
/// performance_factor(ranks, PB).
int processor_bound(int ranks);

/// Returns the factor (1 + P / (P - PB + 1)) (3/2)^2 (P / PB)^2. A schedule of PSA, with powers of two of at
/// most PB ranks, is never longer than this factor times the least value of the relaxation, if arrays travel
/// in no time.
double performance_factor(int ranks, int bound);

/// Returns the ranks of the relaxation rounded to the nearest powers of two of at most `bound` that the tasks
/// can use.
std::vector<int> rounded_to_powers(const TaskGraph& graph, int ranks, const Relaxation& relaxation,
                                   int bound);

/// Allocates ranks to the tasks of a program that runs for each item of a long stream, such that the time
/// between two items, the period, is small. The tasks are pipelined over disjoint groups of ranks: each group
/// runs the same tasks for every item, and the period is the largest sum of the seconds of the tasks of a
/// group. Sending arrays takes no time of ranks. The schedule has the period and the starts of the tasks for
/// one item, whose end is the latency. Its strategy is `pipeline`, or `data` if one group of all ranks runs
/// all tasks, or `task` if one rank for each group is as good. Throws InputError if there is no rank.
///
/// For a period, tasks in some order are divided into groups of consecutive tasks with the fewest ranks by
/// dynamic programming, as Subhlok and Vondran, "Optimal use of mixed task and data parallelism for pipelined
/// computations", JPDC 60 (2000), do for chains, and also packed first-fit in the order of decreasing time.
/// The least period for which this succeeds is found by bisection, and then moves of tasks and of ranks make
/// it smaller.
GroupSchedule allocate_stream(const TaskGraph& graph, int ranks, const Communication& communication = {});

/// Returns a number of seconds that no period of a pipeline over disjoint groups is below: the least period T
/// for which every task can take at most T, and the areas of the tasks on the ranks that they need for T fit
/// into it.
double period_bound(const TaskGraph& graph, int ranks);

}  // namespace tessera::group
