// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/pipeline/plan/plan.hpp"
#include "tessera/pipeline/plan/plan_nodes.hpp"

namespace tessera {

/// The tiles into which a list of boxes is cut. Tiles are numbered from 0: first the tiles of the first box,
/// then those of the second box, and so on. Within a box, tiles are numbered along x first, then along y, and
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

/// The inner tiles into which the tiles of a list of boxes are cut. Inner tiles are numbered from 0: first
/// those of the first tile, then those of the second tile, and so on. Within a tile, they are numbered along
/// dimension 1 first, then along x, and then along the other dimensions, which is the order in which a thread
/// computes them.
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
  /// Returns the points of an inner tile. `tile` is the number of the tile to which the inner tile belongs,
  /// `points` are the points of this tile, and `number` is the number of the inner tile.
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

}  // namespace tessera
