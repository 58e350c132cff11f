// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "tessera/group/redistribution.hpp"
#include "tessera/group/task_graph.hpp"

namespace tessera::group {

/// Returns the average area A_p of an allocation: the sum of the products of ranks and seconds of all tasks,
/// divided by the number of ranks of the machine. No schedule is shorter, even if it never leaves a rank
/// idle.
double average_area(const TaskGraph& graph, std::span<const double> ranks_of_tasks, int ranks);
/// Returns the average area of an allocation of whole ranks.
double average_area(const TaskGraph& graph, std::span<const int> ranks_of_tasks, int ranks);

/// Returns the critical path of an allocation: the greatest sum of the seconds of tasks on a path. Arrays do
/// not count, because they cost nothing between tasks on the same ranks, so that no schedule is shorter.
double critical_path(const TaskGraph& graph, std::span<const double> ranks_of_tasks);
/// Returns the critical path of an allocation where each array travels to other ranks.
double critical_path(const TaskGraph& graph, std::span<const int> ranks_of_tasks,
                     const Communication& communication);

/// Returns for each task the greatest sum of the seconds of tasks and edges on a path from the beginning of
/// this task to the end of the program, where each array travels to other ranks.
std::vector<double> bottom_levels(const TaskGraph& graph, std::span<const int> ranks_of_tasks,
                                  const Communication& communication);

/// Returns the seconds of an edge between the ranks of its tasks, if these lists of ranks differ.
double edge_seconds(const Edge& edge, std::span<const int> ranks_of_tasks,
                    const Communication& communication);

}  // namespace tessera::group
