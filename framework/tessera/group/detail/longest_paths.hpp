// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "tessera/group/task_graph.hpp"

namespace tessera::group::detail {

/// Returns for each task the greatest sum of the seconds of tasks and edges on a path from the start of the
/// program to the start of this task. Without `edge_seconds`, edges take no time.
std::vector<double> paths_before(const TaskGraph& graph, std::span<const double> seconds,
                                 std::span<const double> edge_seconds = {});
/// Returns for each task the greatest sum of the seconds of tasks on a path from the end of this task to the
/// end of the program.
std::vector<double> paths_after(const TaskGraph& graph, std::span<const double> seconds);

}  // namespace tessera::group::detail
