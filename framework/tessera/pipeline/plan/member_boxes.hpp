// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <vector>

#include "tessera/pipeline/plan/tiles.hpp"
#include "tessera/view/block_layout.hpp"

namespace tessera {

/// The stages that are computed in the tiles of a compute node, and what is known of them before the boxes of
/// the node are.
struct TileMembers {
  /// Points that a member contributes to a global reduction. The index counts members from 0.
  struct Contributed {
    /// The member.
    std::size_t member = 0;
    /// The points that it contributes.
    Box points;
  };
  /// The ids of the first outputs of the members (see plan::Compute::members).
  std::vector<int> stages;
  /// How each member but the last is computed (see plan::Compute::placements). The list is empty if all are
  /// computed for every inner tile anew.
  std::vector<Placement> placements;
  /// The points that members contribute to global reductions.
  std::vector<Contributed> contributed;
};

/// Returns the boxes that the inner tiles of one tile need of all members. `walk` are these inner tiles, in
/// order. The box of member m for inner tile t is at t * members.stages.size() + m. The box of the last
/// member is the inner tile itself. A member in a window has only those points in its box that are read while
/// members that are in windows, too, compute only the rows that they have not kept. The box of an
/// `outer_tile` is the same for all inner tiles.
std::vector<Box> member_boxes(const Algorithm& pipeline, const TileMembers& members,
                              const std::vector<Box>& walk);

/// Sets the boxes of a compute node whose parts, tiles and inner tiles are known.
void set_member_boxes(const Algorithm& pipeline, const TileMembers& members, plan::Compute& step);

/// Returns how member `m` of a compute node is computed: `tile`, `window` or `outer_tile`. `m` must not be
/// the last member.
inline Placement placement_of(const plan::Compute& step, std::size_t m) {
  return step.placements.empty() ? Placement::tile : step.placements[m];
}

/// Returns the points that inner tile `number` computes of member `m`, which must not be the last member.
/// They may include points outside the domain of the member. `is_first` is whether the inner tile is the
/// first one of its tile.
Box computed_box(const plan::Compute& step, std::int64_t number, bool is_first, std::size_t m);

/// Calls visit(m, box) for each box of points that a compute node computes of a member `m` other than the
/// last one. All these points are within the domain of the member.
void visit_computed(const Algorithm& pipeline, const plan::Compute& step,
                    const std::function<void(std::size_t, const Box&)>& visit);

/// Returns how many points of its members other than the last one a compute node computes more than once. If
/// `has_windows` is false, the result is the number for the same tiles without windows.
std::int64_t points_computed_again(const Algorithm& pipeline, const plan::Compute& step, bool has_windows);

/// Returns the layout of `box` in scratch memory on hosts. `aligned_x` is the x of the first point of the
/// inner tile, or of the tile for an `outer_tile`. The array of a window has memory for `rows` rows, of which
/// those of `box` are the first ones. For other arrays, `rows` is 0.
BlockLayout scratch_layout(Box box, std::int64_t rows, std::int64_t aligned_x, std::int64_t element_size);

}  // namespace tessera
