// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/pipeline/plan/plan.hpp"
#include "tessera/pipeline/plan/plan_nodes.hpp"
#include "tessera/pipeline/plan/tiles.hpp"
#include "tessera/pipeline/planner/scheduled_pipeline.hpp"

namespace tessera {

/// Returns the ids of the stages that are computed in the tiles of the stage `root`, in ascending order.
/// These are `root`, its ScheduledArray::computed_in_its_tiles, and all stages in tiles whose arrays they
/// read, directly or through each other.
std::vector<ArrayId> fused_members(const ScheduledPipeline& scheduled, ArrayId root);

/// Returns how each of `members` but the last is computed, which are the stages in the tiles of the last one.
std::vector<Placement> placements_of(const ScheduledPipeline& scheduled, const std::vector<ArrayId>& members);

/// Returns the stages and global reductions that read arrays of `stage`, either directly, or through stages
/// for whose placements is_followed(placement) is true. The latter are not in the result. Each stage is
/// followed once, so that the time does not grow with the number of ways through the pipeline.
std::vector<ArrayId> readers_through_tiles(const ScheduledPipeline& scheduled, ArrayId stage,
                                           bool (*is_followed)(Placement));

/// Returns the step that computes the stage `root` on the boxes `parts`, which are cut into tiles. `members`
/// are the stages that are computed in each tile, as returned by fused_members. For each inner tile, the step
/// has the boxes of the other members that the inner tile needs. The step also has the place of each array
/// that lies in scratch memory. These arrays are all outputs of the other members, and those outputs of
/// `root` that only reductions read. Throws ScheduleError if there are too many tiles, or if a tile needs
/// more scratch memory than a team of a device has.
plan::Compute tile_stage(const ScheduledPipeline& scheduled, ArrayId root, const std::vector<Box>& parts,
                         std::vector<ArrayId> members);

/// Returns, for each member, the box that must be computed before the last member can be computed on `tile`.
/// The box of the last member is `tile` itself. Windows and inner tiles are not considered.
std::vector<Box> member_boxes(const ScheduledPipeline& scheduled, const std::vector<ArrayId>& members,
                              const Box& tile);

/// Returns how many bytes of scratch memory the stages of a fusable group may use in a team. `target` must be
/// a device.
std::int64_t team_scratch_limit(const Target& target);

/// Returns the number of points of a tile in each dimension, for a fusable group whose last stage is `root`.
/// The target must be a device.
TileSize group_tile(const ScheduledPipeline& scheduled, ArrayId root);

/// Returns how many bytes of scratch memory a tile of a fusable group may need. `members` are the stages of
/// the group. Only the tiles in the corners and in the middle of the domain are considered. One of these
/// tiles needs the most if all indices at which bodies read are affine functions of the coordinates. The
/// target must be a device.
std::int64_t group_scratch_bytes(const ScheduledPipeline& scheduled, ArrayId root,
                                 const std::vector<ArrayId>& members);

/// Returns the number of rows that the memory of member `m` of a compute node should hold, if the member is
/// computed in a window; otherwise 0. `m` must not be the last member, and the boxes of the step must be
/// known. With this number of rows, the rows that are kept are seldom moved.
std::int64_t rows_of_window(const plan::Compute& step, std::size_t m);

/// Returns the bytes that an array needs in scratch memory, whichever inner tile is computed. The boxes of
/// the step and the rows of `place` must be known.
std::int64_t scratch_bytes(const ScheduledPipeline& scheduled, const plan::Compute& step,
                           const plan::Scratch& place);

/// The largest number of tiles of fused stages on one rank. A plan keeps the boxes of every such tile, and
/// the boxes of more tiles would take more memory than images do.
inline constexpr std::int64_t most_tiles = 1 << 20;

/// Returns how much it costs to compute the points `box` of a stage, as a number of points. Each row counts
/// as some points more than it has, because memory and loops are slow at the start of a row. The lines along
/// dimension 0 that a stage computes as a whole follow each other in one row.
double points_with_row_starts(const ArrayDeclaration& stage, const Box& box);

/// Returns the tile size on hosts for the points `box` of the last one of `members`. `members` are all stages
/// that are computed in these tiles. `box` must not be empty. If the schedule asks for a tile size, the
/// result is this size. Otherwise it is chosen so that the points that a tile reads and keeps in scratch stay
/// in the cache. Rows are as long as possible, unless tiles of such rows were so low that many points would
/// be computed again. If the last member is computed in whole lines, the tile is as long as a line.
TileSize host_tile(const ScheduledPipeline& scheduled, const std::vector<ArrayId>& members, const Box& box);

/// Returns the size of the inner tiles into which tiles of the size `tile` are cut on hosts. The other
/// arguments are those of host_tile. The result is empty if tiles are not cut. If the schedule asks for a
/// size, the result is this size, but no more than a tile. Otherwise tiles are cut into a few rows each if a
/// member is computed in a window or once for all inner tiles of a tile. If the last member is computed in
/// whole lines, an inner tile is as long as a line.
TileSize inner_tile(const ScheduledPipeline& scheduled, const std::vector<ArrayId>& members,
                    const TileSize& tile, const Box& box);

}  // namespace tessera
