// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

namespace tessera::group::detail {

/// The tasks of a graph in an order in which they can run, or a cycle that forbids it.
struct TaskOrder {
  /// The ids of the tasks, each after its predecessors. Of tasks that could be next, the one with the lowest
  /// id is next. Tasks that depend on a cycle are missing.
  std::vector<int> tasks;
  /// The ids of the tasks of a cycle, each before a task that depends on it, and the lowest one first; empty
  /// if there is no cycle.
  std::vector<int> cycle;
};

/// Returns the order of tasks. `predecessors` has the tasks that each task depends on; it may name a task
/// twice.
TaskOrder task_order(const std::vector<std::vector<int>>& predecessors);

}  // namespace tessera::group::detail
