// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/pipeline/planner/scheduled_pipeline.hpp"

namespace tessera {

/// The largest number of tiles of fused stages on one rank. Their plan keeps the boxes of every tile, and the
/// boxes of more tiles would take more memory than images do.
inline constexpr std::int64_t most_tiles = 1 << 20;

/// Hosts: returns the tile size of the stage `root`, which computes `box` with these members. It is the one
/// that the schedule asks for, or one with which the points that a tile reads and keeps in scratch stay in
/// cache. Stages that are computed in whole lines are not cut along them.
TileSize host_tile(const ScheduledPipeline& scheduled, int root, const std::vector<int>& members,
                   const Box& box);

}  // namespace tessera
