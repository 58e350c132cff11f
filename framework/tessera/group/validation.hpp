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

}  // namespace tessera::group
