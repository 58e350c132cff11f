// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/pipeline/scheduled_pipeline.hpp"
#include "tessera/view/block_layout.hpp"

namespace tessera {

/// The stages that are computed inside the tiles of `root`, in order, and `root` itself last.
std::vector<int> fused_members(const ScheduledPipeline& scheduled, int root);

/// Cuts `box` of `root` into tiles and works out what each tile needs of the other members, and where that
/// lies in a thread's scratch memory. Devices get one tile.
plan::Compute tile_stage(const ScheduledPipeline& scheduled, int root, const Box& box, const Target& target,
                         std::vector<int> members);

/// The layout in scratch of a member's box, inside a tile of the root that begins at `tile_x`.
BlockLayout scratch_layout(const Box& box, std::int64_t tile_x, std::int64_t element_size);

}  // namespace tessera
