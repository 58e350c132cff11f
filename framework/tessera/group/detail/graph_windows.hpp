// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "tessera/group/task_graph.hpp"

namespace tessera::group::detail {

/// Tasks of a graph that are after one task and before another one: all of them run between the end of the
/// former and the start of the latter. An id of -1 is the start or the end of the program.
struct GraphWindow {
  int after = -1;
  int before = -1;
  std::vector<int> tasks;

  friend bool operator==(const GraphWindow&, const GraphWindow&) = default;
};

/// The seconds and the area, divided by the ranks of the machine, of each task.
struct TaskWork {
  std::vector<double> seconds, area;
};

/// Returns windows, at most `most` of them, whose tasks have so much area that the shortest program of the
/// given work cannot have been longer than `length`: the paths to a window and from it, and its area, are
/// longer in sum by more than a relative 0.001. Each task begins at most one window, and ends at most one.
/// The worst ones come first.
std::vector<GraphWindow> overfull_windows(const TaskGraph& graph, const TaskWork& work, double length,
                                          std::size_t most);

}  // namespace tessera::group::detail
