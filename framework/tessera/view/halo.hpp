// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <functional>

#include "tessera/domain/block_distribution.hpp"
#include "tessera/domain/boundary.hpp"

namespace tessera {

/// A function that returns a box of points of an array. The box contains all points that the ranks [first,
/// last) need. For a single rank it is exactly the box that this rank needs. The box may extend over any
/// number of blocks in any direction, and beyond the domain. It need not contain the rank's own block.
using Need = std::function<Box(int first, int last)>;

/// The number of ghosts on each side of a block, which is the same for all blocks, and the boundary
/// conditions of the array.
struct Halo {
  /// The number of ghosts in each dimension on the side of lower coordinates, x first.
  std::array<std::int64_t, max_dimensions> below = {};
  /// The number of ghosts in each dimension on the side of higher coordinates, x first.
  std::array<std::int64_t, max_dimensions> above = {};
  /// The boundary conditions of the array.
  BoundaryConditions boundary;

  /// Makes a halo without ghosts and without boundary conditions.
  Halo() = default;
  /// Makes a halo with `depth` ghosts on all sides.
  explicit Halo(std::int64_t depth, const BoundaryConditions& conditions = {}) : boundary(conditions) {
    below.fill(depth);
    above.fill(depth);
  }

  /// Returns the need of the ranks of `blocks`: each rank needs its own block and the ghosts around it.
  /// Ghosts outside the domain are left out on sides without a boundary condition. A rank that owns no points
  /// needs no points.
  Need need(const BlockDistribution& blocks) const;
};

}  // namespace tessera
