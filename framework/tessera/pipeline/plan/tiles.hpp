// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/pipeline/plan/lifetimes.hpp"
#include "tessera/pipeline/plan/plan_nodes.hpp"

namespace tessera {

/// The tiles of boxes by number, from 0: one box after the other, and x fastest in each.
class Tiles {
 public:
  /// No tiles.
  Tiles() = default;
  /// The tiles of the boxes `parts`, empty ones left out. `tile` has an entry for each of their dimensions.
  Tiles(const std::vector<Box>& parts, const TileSize& tile);

  /// The number of tiles.
  std::int64_t size() const { return count_; }
  /// The tile of this number, which is less than size(). It is cut at the end of its box.
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

/// The lifetimes of the arrays in the scratch of a compute node, one for each element of `step.scratch`, in
/// numbers of its members: from the member that computes the array to the last one that reads it.
/// Contributions to reductions come right after the member that computes their points.
std::vector<Lifetime> scratch_lifetimes(const Algorithm& pipeline, const plan::Compute& step);

}  // namespace tessera
