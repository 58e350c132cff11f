// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/group/graph_costs.hpp"
#include "tessera/group/task_graph.hpp"

namespace tessera::group {

/// The allocation of real numbers of ranks that minimises the greater one of average area and critical path,
/// and proof that it does.
struct Relaxation {
  /// The ranks of each task: from 1 to the most that it can use.
  std::vector<double> ranks_of_tasks;
  /// The greater one of average area and critical path of this allocation, where the cost of a task is the
  /// greatest of its lower bounds (see TaskCost::lower_bounds).
  double value = 0;
  /// A number that no allocation is below. It is computed from multipliers of the constraints, independently
  /// of how these were found, so that it holds but for rounding.
  double bound = 0;
  /// The steps of Newton's method that it took.
  int steps = 0;

  /// Returns how much the value may at most be above the least one, relative to it.
  double gap() const { return value > 0 ? (value - bound) / value : 0; }
};

/// Solves the relaxation of two-step allocation and scheduling (TSAS) of Ramaswamy, Sapatnekar and Banerjee,
/// "A framework for exploiting task and data parallelism on distributed memory multicomputers", IEEE TPDS 8
/// (1997): minimise max(A_p, CP) over real numbers of ranks. In the logarithms of the ranks, all costs a +
/// b/p and all areas a p + b are sums of exponentials of linear functions (posynomials), so that the problem
/// is convex. It is solved by an interior-point method with logarithmic barriers (Boyd and Vandenberghe,
/// "Convex optimization", chapter 11). `gap` is the relative gap between value and bound at which it ends.
Relaxation relax(const TaskGraph& graph, int ranks, double gap = 1e-6);

/// Solves the relaxation with further constraints, which bring it nearer to what schedules can reach: all
/// tasks that are after one task and before another one run in the time between these, so that their area,
/// divided by the ranks of the machine, is at most that time. max(A_p, CP) counts the area of the whole
/// program only, as if the tasks of one level could use the ranks that those of another level leave idle.
/// Windows that a solution does not respect are added in rounds. The value and the bound are those with
/// windows; the bound holds for all schedules.
Relaxation relax_with_windows(const TaskGraph& graph, int ranks, int rounds, double gap = 1e-6);

/// Solves the relaxation where each array of an edge is sent by the ranks of one task and received by those
/// of the other one, which lengthens both tasks. The bound does not hold for schedules that leave arrays
/// where they are.
Relaxation relax_with_travel(const TaskGraph& graph, int ranks, const Communication& communication,
                             double gap = 1e-6);

}  // namespace tessera::group
