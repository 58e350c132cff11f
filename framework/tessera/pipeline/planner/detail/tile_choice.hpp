// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/pipeline/planner/scheduled_pipeline.hpp"

namespace tessera {

/// The plan of fused stages keeps the boxes of every tile: beyond this they would take more memory than
/// images do.
inline constexpr std::int64_t most_tiles = 1 << 20;

/// The tile of a root on hosts, which computes `box` with these members: as asked for, or chosen so that what
/// the tile reads and keeps in scratch stays in cache; whole lines are not cut.
TileSize host_tile(const ScheduledPipeline& scheduled, int root, const std::vector<int>& members,
                   const Box& box);

}  // namespace tessera
