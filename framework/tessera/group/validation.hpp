// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/group/redistribution.hpp"
#include "tessera/group/schedule.hpp"

namespace tessera::group {

/// Throws InputError, which says what is wrong and where, unless a schedule can be run: every task of the
/// graph is there once, it has at least one rank, at most as many as it can use, all of them different and
/// below the number of ranks of the machine; it takes at least the time that its cost says; it starts after
/// its predecessors have ended and their arrays have travelled; no rank has two tasks at the same time, and
/// therefore there are never more tasks than ranks; and the makespan is the end of the last task. For a
/// stream, ranks are compared over all items. Times may differ by a relative 1e-9 from what they should be.
void check_schedule(const TaskGraph& graph, const Communication& communication,
                    const GroupSchedule& schedule);

/// Throws InputError, which says what is wrong and where, unless the groups and the order of a schedule can
/// be run: every task of the graph is there once, its ranks are as check_schedule demands, and it does not
/// start before a task whose arrays it reads. Other than that, times are not looked at. All ranks begin tasks
/// in one order, that of the starts, so that ranks never wait for each other in a circle.
void check_groups_and_order(const TaskGraph& graph, const GroupSchedule& schedule);

}  // namespace tessera::group
