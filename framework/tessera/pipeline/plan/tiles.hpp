// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/pipeline/plan/lifetimes.hpp"
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

}  // namespace tessera
