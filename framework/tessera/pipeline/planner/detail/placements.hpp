// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/pipeline/algorithm/algorithm.hpp"
#include "tessera/pipeline/plan/plan_nodes.hpp"

namespace tessera {

/// Returns the placement of a stage or input, which is named by its first array. Throws ScheduleError when
/// the schedule asks for a placement that it cannot have.
Placement settled_placement(const Algorithm& pipeline, const Schedule& schedule, int id);

}  // namespace tessera
