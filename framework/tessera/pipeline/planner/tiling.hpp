// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/pipeline/plan/lifetimes.hpp"
#include "tessera/pipeline/plan/plan.hpp"
#include "tessera/pipeline/plan/tiles.hpp"

namespace tessera {

class ScheduledPipeline;

/// The ids of the stages that are computed inside the tiles of `root`, in order, with `root` itself last.
std::vector<int> fused_members(const ScheduledPipeline& scheduled, int root);

/// Cuts the boxes `parts` of `root` into tiles, and works out the boxes of the other members that each tile
/// needs and their places in scratch memory, also those of outputs of `root` that are not kept. Throws
/// ScheduleError when the tiles are too many or need too much scratch.
plan::Compute tile_stage(const ScheduledPipeline& scheduled, int root, const std::vector<Box>& parts,
                         std::vector<int> members);

/// The boxes of all `members` that one tile needs; the last member computes the tile itself.
std::vector<Box> member_boxes(const ScheduledPipeline& scheduled, const std::vector<int>& members,
                              const Box& tile);

/// Devices: the bytes of a team's scratch memory that the stages of a group may use.
std::int64_t team_scratch_limit(const Target& target);

/// Devices: the points of a tile of a group whose last stage is `root`, an entry per dimension.
TileSize group_tile(const ScheduledPipeline& scheduled, int root);

/// Devices: the bytes of scratch memory that a tile of a group with these members may need. They are found
/// from the tiles in the corners and in the middle of the domain, among which is the largest need if indices
/// have no steps or limits.
std::int64_t group_scratch_bytes(const ScheduledPipeline& scheduled, int root,
                                 const std::vector<int>& members);

}  // namespace tessera
