// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <functional>

#include "tessera/domain/block_distribution.hpp"
#include "tessera/domain/boundary.hpp"

namespace tessera {

/// A box that holds what the ranks [first, last) need of an array, and for one rank just that. It may reach
/// in any direction, any number of blocks far, beyond the domain, or miss the rank's own block.
using Need = std::function<Box(int first, int last)>;

/// The usual need: a rank's own block, and ghosts around it.
struct Halo {
  /// Points below and above the block, per dimension.
  std::array<std::int64_t, max_dimensions> below = {};
  std::array<std::int64_t, max_dimensions> above = {};
  BoundaryConditions boundary;

  Halo() = default;
  /// The same depth on all sides.
  explicit Halo(std::int64_t depth, const BoundaryConditions& conditions = {}) : boundary(conditions) {
    below.fill(depth);
    above.fill(depth);
  }

  /// What the ranks of a distribution need. Ghosts beyond a side without a boundary condition are left out;
  /// ranks that own nothing need nothing.
  Need need(const BlockDistribution& blocks) const;
};

}  // namespace tessera
