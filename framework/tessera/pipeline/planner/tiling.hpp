// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/pipeline/plan/lifetimes.hpp"
#include "tessera/pipeline/plan/plan.hpp"
#include "tessera/pipeline/plan/tiles.hpp"

namespace tessera {

class ScheduledPipeline;

/// Returns the ids of the stages that are computed in the tiles of the stage `root`, in order; `root` is
/// last.
std::vector<int> fused_members(const ScheduledPipeline& scheduled, int root);

/// Returns the step that computes the stage `root` on the boxes `parts`. It cuts them into tiles and works
/// out the boxes of the other members that each tile needs, and the places in scratch memory of their outputs
/// and of outputs of `root` that are not kept. Throws ScheduleError when there are too many tiles, or when
/// they need too much scratch.
plan::Compute tile_stage(const ScheduledPipeline& scheduled, int root, const std::vector<Box>& parts,
                         std::vector<int> members);

/// Returns the box of each member that one tile needs. The last member computes the tile itself.
std::vector<Box> member_boxes(const ScheduledPipeline& scheduled, const std::vector<int>& members,
                              const Box& tile);

/// Devices: returns the bytes of a team's scratch memory that the stages of a group may use.
std::int64_t team_scratch_limit(const Target& target);

/// Devices: returns the points of a tile in each dimension for a group whose last stage is `root`.
TileSize group_tile(const ScheduledPipeline& scheduled, int root);

/// Devices: returns the bytes of scratch memory that a tile of a group with these members may need. They are
/// found from the tiles in the corners and in the middle of the domain, one of which has the largest need if
/// indices have no steps or limits.
std::int64_t group_scratch_bytes(const ScheduledPipeline& scheduled, int root,
                                 const std::vector<int>& members);

}  // namespace tessera
