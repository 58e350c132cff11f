// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <vector>

#include "tessera/pipeline/plan/plan.hpp"
#include "tessera/pipeline/plan/plan_nodes.hpp"
#include "tessera/view/block_layout.hpp"

namespace tessera {

/// The tiles of a list of boxes. Tiles are numbered from 0: first the tiles of the first box, then the tiles
/// of the second box, and so on. Within a box, tiles are numbered along x first, then along y, and
/// so on.
class Tiles {
 public:
  /// Makes an object that has no tiles.
  Tiles() = default;
  /// Cuts the boxes `parts` into tiles. Empty boxes have no tiles. `tile` holds the number of points of a
  /// tile along each dimension of the boxes.
  Tiles(const std::vector<Box>& parts, const TileSize& tile);

  /// The number of tiles.
  std::int64_t size() const { return count_; }
  /// Returns the tile with this number, which must be less than size(). Tiles at the end of a box are smaller
  /// if the extent of the box is not a multiple of the extent of a tile.
  Box operator[](std::int64_t number) const;

 private:
  struct Part {
    Box box;
    std::int64_t first;
    std::int64_t count[max_dimensions];
  };
  std::vector<Part> parts_;
  TileSize tile_;
  std::int64_t count_ = 0;
};

/// Returns the lifetime of each array in `step.scratch`. These lifetimes count members of `step` instead of
/// steps of a plan: a lifetime begins with the member that computes the array and ends with the last member
/// that reads the array. A contribution to a global reduction counts as part of the member that computes the
/// contributed points. The arrays of windows and those that are computed once for all inner tiles of a tile
/// live as long as all members.
std::vector<Lifetime> scratch_lifetimes(const Algorithm& pipeline, const plan::Compute& step);

/// The inner tiles of the tiles of a list of boxes. Inner tiles are numbered from 0: first the inner tiles of
/// the first tile, then those of the second tile, and so on. Within a tile, they are numbered along dimension
/// 1 first, then along x, and then along the other dimensions. A thread computes them in this order.
class InnerTiles {
 public:
  /// Makes an object that has no tiles.
  InnerTiles() = default;
  /// Cuts the boxes `parts` into tiles of the size `tile` (see Tiles), and these into inner tiles of the size
  /// `inner`. If `inner` is empty, each tile is its own only inner tile.
  InnerTiles(const std::vector<Box>& parts, const TileSize& tile, const TileSize& inner);

  /// The tiles.
  const Tiles& tiles() const { return tiles_; }
  /// The number of inner tiles of all tiles.
  std::int64_t size() const { return inner_.empty() ? tiles_.size() : first_.back(); }
  /// Returns the number of the first inner tile of a tile. For tiles().size(), the result is size().
  std::int64_t first(std::int64_t tile) const {
    return inner_.empty() ? tile : first_[static_cast<std::size_t>(tile)];
  }
  /// Returns the points of an inner tile. `tile` is the number of its tile, `points` are the points of this
  /// tile, and `number` is the number of the inner tile.
  Box inner(std::int64_t tile, const Box& points, std::int64_t number) const {
    return inner_.empty() ? points : inner_tile(points, number - first(tile));
  }
  /// Returns the inner tiles of a tile in order.
  std::vector<Box> walk(std::int64_t tile) const;

 private:
  Box inner_tile(const Box& tile, std::int64_t number) const;

  Tiles tiles_;
  TileSize inner_;
  /// The number of the first inner tile of each tile, and the number of all inner tiles. The list is empty if
  /// tiles are not cut.
  std::vector<std::int64_t> first_;
};

/// Returns those points of `now` that a member in a window computes. `now` is the box that an inner tile
/// needs of the member, and `before` is the box that the inner tile before needed. Rows that are in both
/// boxes are kept if the boxes differ along dimension 1 only and if neither end of `before` lies after the
/// same end of `now`. Otherwise, all points are computed. The result is empty if all rows are kept.
Box rows_to_compute(const Box& before, const Box& now);

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
  std::vector<ArrayId> stages;
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
/// inner tile, or of the tile for an `outer_tile`. The array of a window has memory for `rows` rows; those
/// of `box` are the first ones. For other arrays, `rows` is 0.
BlockLayout scratch_layout(Box box, std::int64_t rows, std::int64_t aligned_x, std::int64_t element_size);

}  // namespace tessera
