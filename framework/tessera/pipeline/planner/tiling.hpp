// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <vector>

#include "tessera/pipeline/plan/member_boxes.hpp"
#include "tessera/pipeline/plan/plan.hpp"
#include "tessera/pipeline/plan/plan_nodes.hpp"
#include "tessera/pipeline/plan/tiles.hpp"
#include "tessera/pipeline/planner/scheduled_pipeline.hpp"

namespace tessera {

class ScheduledPipeline;

/// Returns the ids of the stages that are computed in the tiles of the stage `root`, in ascending order. The
/// last one is `root` itself.
std::vector<int> fused_members(const ScheduledPipeline& scheduled, int root);

/// Returns the ids of the stages that are computed in the tiles of the stage `root`, in ascending order.
/// These are `root`, the stages `further`, and all stages whose arrays they read, directly or through each
/// other, and for whose arrays is_in_tiles(array) is true.
std::vector<int> fused_members(const Algorithm& pipeline, int root, const std::vector<int>& further,
                               const std::function<bool(int)>& is_in_tiles);

/// Returns the stages and global reductions that read arrays of `stage`, either directly, or through stages
/// for whose arrays is_in_tiles(array) is true. The latter are not in the result. Each stage is followed
/// once, so that the time does not grow with the number of ways through the pipeline. `consumers_of(array)`
/// are the stages and reductions that read an array.
std::vector<int> readers_through_tiles(const Algorithm& pipeline, int stage,
                                       const std::function<const std::vector<int>&(int)>& consumers_of,
                                       const std::function<bool(int)>& is_in_tiles);

/// Returns the step that computes the stage `root` on the boxes `parts`, which are cut into tiles. `members`
/// are the stages that are computed in each tile, as returned by fused_members. For each inner tile, the step
/// has the boxes of the other members that the inner tile needs. The step also has the place of each array
/// that lies in scratch memory. These arrays are all outputs of the other members, and those outputs of
/// `root` that only reductions read. Throws ScheduleError if there are too many tiles, or if a tile needs
/// more scratch memory than a team of a device has.
plan::Compute tile_stage(const ScheduledPipeline& scheduled, int root, const std::vector<Box>& parts,
                         std::vector<int> members);

/// Returns, for each member, the box that must be computed before the last member can be computed on `tile`.
/// The box of the last member is `tile` itself. Windows and inner tiles are not considered.
std::vector<Box> member_boxes(const ScheduledPipeline& scheduled, const std::vector<int>& members,
                              const Box& tile);

/// Returns how many bytes of scratch memory the stages of a fusable group may use in a team. `target` must be
/// a device.
std::int64_t team_scratch_limit(const Target& target);

/// Returns the number of points of a tile in each dimension, for a fusable group whose last stage is `root`.
/// The target must be a device.
TileSize group_tile(const ScheduledPipeline& scheduled, int root);

/// Returns how many bytes of scratch memory a tile of a fusable group may need. `members` are the stages of
/// the group. Only the tiles in the corners and in the middle of the domain are considered. One of these
/// tiles needs the most if all indices at which bodies read are affine functions of the coordinates. The
/// target must be a device.
std::int64_t group_scratch_bytes(const ScheduledPipeline& scheduled, int root,
                                 const std::vector<int>& members);

/// Returns the number of rows for which member `m` of a compute node should have memory, if the member is
/// computed in a window; otherwise 0. `m` must not be the last member, and the boxes of the step must be
/// known. With this number of rows, the rows that are kept are seldom moved.
std::int64_t rows_of_window(const plan::Compute& step, std::size_t m);

/// Returns the bytes that an array needs in scratch memory, whichever inner tile is computed. The boxes of
/// the step and the rows of `place` must be known.
std::int64_t scratch_bytes(const ScheduledPipeline& scheduled, const plan::Compute& step,
                           const plan::Scratch& place);

}  // namespace tessera
