// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/group/redistribution.hpp"
#include "tessera/group/schedule.hpp"

namespace tessera::group {

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
