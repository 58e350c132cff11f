// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/group/schedule.hpp"

namespace tessera::group {

/// Returns a graph of tasks as text for Graphviz (DOT), with the seconds of each task on one rank and the
/// bytes of each array. With a schedule, tasks also have their ranks and their seconds there, and tasks that
/// run on the same ranks have the same colour.
std::string to_dot(const TaskGraph& graph, const GroupSchedule* schedule = nullptr);

}  // namespace tessera::group
