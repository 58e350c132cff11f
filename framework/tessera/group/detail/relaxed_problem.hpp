// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <vector>

#include "tessera/cost/work_costs.hpp"

namespace tessera::group::detail {

/// A task of the relaxation. The predecessors of a task have lower places than the task.
struct RelaxedTask {
  /// The costs of which the greatest one counts.
  std::vector<cost::SharedCost> costs;
  double most_ranks = 1;
  std::vector<std::size_t> predecessors;
  bool is_last = false;
};

/// The place of the start of the program, and that of its end, where places of tasks are expected.
inline constexpr std::size_t no_task = std::numeric_limits<std::size_t>::max();

/// Tasks that all run between the end of one task and the end of another one, so that the time between these
/// is at least the area of the tasks, divided by the ranks of the machine.
struct Window {
  /// The task after whose end all tasks run, or no_task for the start of the program.
  std::size_t after = no_task;
  /// The task before whose end all tasks run, or no_task for the end of the program. It takes no time itself.
  std::size_t before = no_task;
  std::vector<std::size_t> tasks;
};

/// The relaxation as data: tasks in a topological order, windows, and the ranks of the machine. The first
/// window is that of all tasks from the start to the end, which says that the value is at least the average
/// area.
struct RelaxedProblem {
  std::vector<RelaxedTask> tasks;
  std::vector<Window> windows;
  double ranks = 1;
};

/// The multipliers of the constraints of a RelaxedProblem: how much the least value grows with each of them.
/// They need to be right only roughly.
struct Multipliers {
  /// The constraints that a task ends after each of its predecessors by at least each of its costs. They are
  /// numbered by the task, the predecessor (one if there is none) and the cost.
  std::vector<std::vector<std::vector<double>>> durations;
  /// The constraints that the area of a task is at least that of each of its costs, by the task and the cost.
  std::vector<std::vector<double>> areas;
  /// The constraints that the value is at least the end of each task that is last.
  std::vector<double> ends;
  /// The constraints of the windows, by the number of the window.
  std::vector<double> windows;
};

/// The earliest ends of all tasks that the constraints allow for an allocation, their areas, and the value.
struct RelaxedTimes {
  std::vector<double> ends, areas;
  double value = 0;
};

/// Returns the times of an allocation. With only the first window, the value is the greater one of average
/// area and critical path.
RelaxedTimes relaxed_times(const RelaxedProblem& problem, const std::vector<double>& ranks_of_tasks);

/// Returns a lower bound of the value of all allocations: the dual function at the multipliers, after these
/// were mended so that as much flows into a task as out of it (weak duality). Each task then minimises A +
/// B/p + C p by itself, which has a closed form.
double dual_bound(const RelaxedProblem& problem, const Multipliers& multipliers);

}  // namespace tessera::group::detail
