// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/pipeline/plan/lifetimes.hpp"
#include "tessera/pipeline/plan/plan_nodes.hpp"

namespace tessera {

/// The tiles of boxes by number: one box after the other, x fastest in each.
class Tiles {
 public:
  Tiles() = default;
  Tiles(const std::vector<Box>& parts, const TileSize& tile);

  std::int64_t size() const { return count_; }
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

/// By place in the scratch memory of a compute node: from which of its members to which the array is needed.
/// Contributions to reductions come right after the member that they are of.
std::vector<Lifetime> scratch_lifetimes(const Algorithm& pipeline, const plan::Compute& step);

}  // namespace tessera
