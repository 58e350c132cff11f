// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/pipeline/plan/window.hpp"
#include "tessera/pipeline/planner/scheduled_array.hpp"
#include "tessera/pipeline/planner/swap_groups.hpp"

namespace tessera {

/// Hosts: finds the global reductions to which the tiles of the stage before them contribute, and enters them
/// in `arrays`, whose placements and distributions must be final.
void settle_contributions(const Algorithm& pipeline, const Schedule& schedule, const Window& window,
                          const SwapGroups& swap_groups, std::vector<ScheduledArray>& arrays);

}  // namespace tessera
