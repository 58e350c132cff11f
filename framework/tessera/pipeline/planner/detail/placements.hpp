// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/pipeline/algorithm/algorithm.hpp"
#include "tessera/pipeline/plan/plan_nodes.hpp"

namespace tessera {

/// Returns the placement of the stage or input whose first array is `id`. Throws ScheduleError if the
/// schedule asks for a placement that the stage or input cannot have.
Placement settled_placement(const Algorithm& pipeline, const Schedule& schedule, int id);

}  // namespace tessera
