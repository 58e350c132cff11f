// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/pipeline/plan/lifetimes.hpp"
#include "tessera/pipeline/plan/plan.hpp"
#include "tessera/pipeline/plan/tiles.hpp"

namespace tessera {

class ScheduledPipeline;

/// The stages that are computed inside the tiles of `root`, in order, and `root` itself last.
std::vector<int> fused_members(const ScheduledPipeline& scheduled, int root);

/// Cuts `parts` of `root` into tiles, and works out what each tile needs of the other members and where that,
/// and what is not kept of the root, lies in scratch memory.
plan::Compute tile_stage(const ScheduledPipeline& scheduled, int root, const std::vector<Box>& parts,
                         std::vector<int> members);

/// The boxes of all `members` that one tile needs, which the last of them computes.
std::vector<Box> member_boxes(const ScheduledPipeline& scheduled, const std::vector<int>& members,
                              const Box& tile);

/// Devices: what the stages of a group may use of a team's scratch memory.
std::int64_t team_scratch_limit(const Target& target);

/// Devices: the size of a tile of a group whose last stage is `root`, an entry per dimension.
TileSize group_tile(const ScheduledPipeline& scheduled, int root);

/// Devices: scratch memory that a tile of a group with these members may need. Tiles in the corners of the
/// domain and in its middle tell: for indices without steps or limits the largest need is among theirs.
std::int64_t group_scratch_bytes(const ScheduledPipeline& scheduled, int root,
                                 const std::vector<int>& members);

}  // namespace tessera
