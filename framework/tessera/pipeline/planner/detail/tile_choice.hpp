// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/pipeline/planner/scheduled_pipeline.hpp"

namespace tessera {

/// The largest number of tiles of fused stages on one rank. A plan keeps the boxes of every such tile, and
/// the boxes of more tiles would take more memory than images do.
inline constexpr std::int64_t most_tiles = 1 << 20;

/// Returns how much it costs to compute the points `box` of a stage, as a number of points. Each row counts
/// as some points more than it has, because memory and loops are slow at the start of a row. The lines along
/// dimension 0 that a stage computes as a whole follow each other in one row.
double points_with_row_starts(const ArrayDeclaration& stage, const Box& box);

/// Returns the tile size on hosts for the points `box` of the last one of `members`. `members` are all stages
/// that are computed in these tiles, and `placements` tells how each of them but the last is computed there.
/// `box` must not be empty. If the schedule asks for a tile size, the result is this size. Otherwise it is
/// chosen so that the points that a tile reads and keeps in scratch stay in the cache. Rows are as long as
/// possible, unless tiles of such rows were so low that many points would be computed again. If the last
/// member is computed in whole lines, the tile is as long as a line.
TileSize host_tile(const ScheduledPipeline& scheduled, const std::vector<int>& members,
                   const std::vector<Placement>& placements, const Box& box);

/// Returns the size of the inner tiles into which tiles of the size `tile` are cut on hosts. The other
/// arguments are those of host_tile. The result is empty if tiles are not cut. If the schedule asks for a
/// size, the result is this size, but no more than a tile. Otherwise tiles are cut into a few rows each if a
/// member is computed in a window or once for all inner tiles of a tile. If the last member is computed in
/// whole lines, an inner tile is as long as a line.
TileSize inner_tile(const ScheduledPipeline& scheduled, const std::vector<int>& members,
                    const std::vector<Placement>& placements, const TileSize& tile, const Box& box);

}  // namespace tessera
