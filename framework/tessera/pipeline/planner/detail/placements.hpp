// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/pipeline/algorithm/algorithm.hpp"
#include "tessera/pipeline/plan/plan_nodes.hpp"
#include "tessera/pipeline/plan/window.hpp"
#include "tessera/pipeline/planner/scheduled_array.hpp"

namespace tessera {

/// Whether the stage or input whose first array is `id` can be computed in the tiles of its consumers.
bool may_be_in_tiles(const Algorithm& pipeline, int id);

/// Returns the placement of the stage or input whose first array is `id`. It is `distributed`, or
/// `replicated` for a value, if the schedule asks for an automatic placement. Throws ScheduleError if the
/// schedule asks for a placement that the stage or input cannot have.
Placement settled_placement(const Algorithm& pipeline, const Schedule& schedule, int id);

/// Throws ScheduleError if a stage with the placement `outer_tile` reads a stage that is computed in inner
/// tiles, and therefore later. `arrays` has the placements of all arrays.
void check_outer_tiles(const Algorithm& pipeline, const std::vector<ScheduledArray>& arrays);

/// Finds the global reductions that take in the points of a stage tile by tile, while the stage is computed,
/// and enters these reductions in `arrays`. The placements and distributions in `arrays` must be final. This
/// function is used for hosts only.
void settle_contributions(const Algorithm& pipeline, const Schedule& schedule, const Window& window,
                          const SwapGroups& swap_groups, std::vector<ScheduledArray>& arrays);

}  // namespace tessera
