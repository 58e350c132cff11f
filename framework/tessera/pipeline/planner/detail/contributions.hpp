// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/pipeline/plan/window.hpp"
#include "tessera/pipeline/planner/scheduled_array.hpp"
#include "tessera/pipeline/planner/swap_groups.hpp"

namespace tessera {

/// Finds the global reductions that take in the points of a stage tile by tile, while the stage is computed,
/// and enters these reductions in `arrays`. The placements and distributions in `arrays` must be final. This
/// function is used for hosts only.
void settle_contributions(const Algorithm& pipeline, const Schedule& schedule, const Window& window,
                          const SwapGroups& swap_groups, std::vector<ScheduledArray>& arrays);

}  // namespace tessera
