// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/cost/task_cost.hpp"
#include "tessera/group/program_plan.hpp"
#include "tessera/group/schedule.hpp"

namespace tessera::group {

/// Returns the tasks of a program as a graph with costs. The task with the id i is the task number i of the
/// program, and its cost is costs[i]. The bytes of an edge are those of the whole array.
TaskGraph task_graph(const Program& program, const std::vector<cost::TaskCost>& costs);

/// Returns the groups that a schedule of `task_graph` gives the tasks. Tasks begin in the order of the
/// schedule, but never before a task that they depend on.
std::vector<TaskGroup> groups_of(const Program& program, const GroupSchedule& schedule);

}  // namespace tessera::group
