// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/pipeline/plan/lifetimes.hpp"
#include "tessera/pipeline/plan/plan_nodes.hpp"

namespace tessera {

/// The tiles into which boxes are cut. They are numbered from 0, one box after the other, and along x first
/// in each box.
class Tiles {
 public:
  /// Makes an object without tiles.
  Tiles() = default;
  /// Cuts the boxes `parts` into tiles; empty boxes have none. `tile` has the points of a tile in each
  /// dimension of the boxes.
  Tiles(const std::vector<Box>& parts, const TileSize& tile);

  /// The number of tiles.
  std::int64_t size() const { return count_; }
  /// Returns the tile of this number, which must be less than size(). A tile ends where its box ends.
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

/// Returns the lifetime of each array in `step.scratch`, where the steps of a lifetime are the members of the
/// compute node: from the member that computes the array to the last one that reads it. Contributions to
/// reductions belong to the member that computes their points.
std::vector<Lifetime> scratch_lifetimes(const Algorithm& pipeline, const plan::Compute& step);

}  // namespace tessera
