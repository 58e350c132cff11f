// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <functional>

#include "tessera/domain/block_distribution.hpp"
#include "tessera/domain/boundary.hpp"

namespace tessera {

/// A function that returns a box which holds all points that the ranks [first, last) need of an array, and
/// for one rank exactly the box that it needs. The box may reach in any direction, any number of blocks far,
/// and beyond the domain; it may also miss the rank's own block.
using Need = std::function<Box(int first, int last)>;

/// The usual need: a rank's own block and ghosts around it.
struct Halo {
  /// The number of ghosts below the block in each dimension, x first.
  std::array<std::int64_t, max_dimensions> below = {};
  /// The number of ghosts above the block in each dimension, x first.
  std::array<std::int64_t, max_dimensions> above = {};
  /// The boundary conditions of the array.
  BoundaryConditions boundary;

  /// No ghosts and no boundary conditions.
  Halo() = default;
  /// The same number of ghosts, `depth`, on all sides.
  explicit Halo(std::int64_t depth, const BoundaryConditions& conditions = {}) : boundary(conditions) {
    below.fill(depth);
    above.fill(depth);
  }

  /// Returns the need of the ranks of a distribution. Ghosts beyond a side without a boundary condition are
  /// left out, and ranks that own nothing need nothing.
  Need need(const BlockDistribution& blocks) const;
};

}  // namespace tessera
