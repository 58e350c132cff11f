// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/pipeline/plan/window.hpp"
#include "tessera/pipeline/planner/scheduled_array.hpp"
#include "tessera/pipeline/planner/swap_groups.hpp"

namespace tessera {

/// Hosts: finds the global reductions that the tiles of the stage before them contribute to. Writes what is
/// found into `arrays`, of which placements and distributions are settled.
void settle_contributions(const Algorithm& pipeline, const Schedule& schedule, const Window& window,
                          const SwapGroups& swap_groups, std::vector<ScheduledArray>& arrays);

}  // namespace tessera
