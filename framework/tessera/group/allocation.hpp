// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "tessera/group/schedule.hpp"

namespace tessera::group {

/// A way to allocate ranks to the tasks of a program that runs once.
enum class Strategy {
  /// Every task on all ranks that it can use, one after the other: pure data parallelism.
  data,
  /// Every task on one rank, as many side by side as there are ranks: pure task parallelism.
  task,
  /// The best of `data`, `task` and a local search by list schedules, which begins with these two, with
  /// equal ranks for all tasks, with the ranks divided among the tasks of each level, and with more ranks for
  /// the tasks of the critical path. So it is never worse than the other two.
  mixed,
};

/// The settings that an allocation depends on, beside the graph and the number of ranks.
struct AllocationSettings {
  /// The strategy.
  Strategy strategy = Strategy::mixed;
  /// The costs of messages between tasks, and the way that arrays travel.
  Communication communication;
  /// The most schedules that the search tries. If it is not set, the median time of the search for 60 tasks
  /// on 1024 ranks stays under a tenth of a second (see benchmarks/groups/README.md).
  std::optional<int> most_schedules;
};

/// Allocates ranks to the tasks of a program, and schedules them. Deterministic. The strategy of the schedule
/// is `data`, `task` or `search`, the first one if several are equally good. Its lower bound is
/// makespan_bound(graph, ranks). Throws InputError if there is no rank.
GroupSchedule allocate(const TaskGraph& graph, int ranks, const AllocationSettings& settings = {});

/// Returns a lower bound of the makespan: the critical path, where each task has all ranks that it can use,
/// or the smallest area of all tasks divided by the ranks, if that is greater.
double makespan_bound(const TaskGraph& graph, int ranks);

/// Allocates ranks to the tasks of a program that runs for each item of a long stream, and makes the time
/// between two items, the period, small. The tasks are pipelined over disjoint groups of ranks: each group
/// runs the same tasks for every item, and the period is the largest sum of the seconds of the tasks of a
/// group. Sending arrays takes no time of ranks. The schedule has the period and the starts of the tasks for
/// one item, whose end is the latency. Its strategy is `pipeline`, or `data` if one group of all ranks runs
/// all tasks, or `task` if one rank for each group is as good. Throws InputError if there is no rank.
///
/// For a period, tasks in some order are divided into groups of consecutive tasks with the fewest ranks by
/// dynamic programming, as Subhlok and Vondran, "Optimal use of mixed task and data parallelism for pipelined
/// computations", JPDC 60 (2000), do for chains, and also packed first-fit in the order of decreasing time.
/// Bisection finds the shortest period that succeeds, and then moves of tasks and of ranks make it shorter.
GroupSchedule allocate_stream(const TaskGraph& graph, int ranks, const Communication& communication = {});

/// Returns a lower bound of the period of a pipeline over disjoint groups: the smallest T with the properties
/// that every task can take at most T, and that the areas of the tasks on the ranks that they need for T fit
/// into it.
double period_bound(const TaskGraph& graph, int ranks);

}  // namespace tessera::group
