// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/group/task_graph.hpp"

namespace tessera::group::detail {

/// Returns allocations between one rank for each task and all ranks, each with a shorter critical path and a
/// greater area than the one before: tasks of the critical path grow until it is as long as several shares of
/// the area divided by the ranks. This is after the critical path and area-based algorithm (CPA) of Radulescu
/// and van Gemund, "A low-cost approach towards mixed task and data parallel scheduling", ICPP 2001. Arrays
/// count no time.
std::vector<Allocation> grown_on_paths(const TaskGraph& graph, int ranks);
/// Returns an allocation that divides the ranks among the tasks of each level, in proportion to their seconds
/// on one rank. If that is faster, the tasks of a level run in several rounds of more ranks each.
Allocation divided_by_levels(const TaskGraph& graph, int ranks);
/// Returns an allocation with the given number of ranks for each task, or as many as it can use.
Allocation equal_ranks(const TaskGraph& graph, int ranks_of_task);

}  // namespace tessera::group::detail
