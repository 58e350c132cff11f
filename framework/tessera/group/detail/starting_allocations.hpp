// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "tessera/group/task_graph.hpp"

namespace tessera::group::detail {

/// The whole ranks of each task.
using Allocation = std::vector<int>;

/// Returns real numbers of ranks rounded to the nearest whole ones that the tasks can use.
Allocation rounded(const TaskGraph& graph, int ranks, std::span<const double> ranks_of_tasks);
/// Returns real numbers of ranks rounded down.
Allocation rounded_down(const TaskGraph& graph, int ranks, std::span<const double> ranks_of_tasks);
/// Returns an allocation with all tasks that do not need their ranks for a critical path of at most
/// `deadline` seconds on as few ranks as that allows. Those with the greatest area come first. Arrays count
/// no time.
Allocation shrunk(const TaskGraph& graph, Allocation allocation, double deadline);
/// Returns an allocation that divides the ranks among the tasks of each level, in proportion to their seconds
/// on one rank. If that is faster, the tasks of a level run in several rounds of more ranks each.
Allocation divided_by_levels(const TaskGraph& graph, int ranks);
/// Returns an allocation with the given number of ranks for each task, or as many as it can use.
Allocation equal_ranks(const TaskGraph& graph, int ranks_of_task);

}  // namespace tessera::group::detail
