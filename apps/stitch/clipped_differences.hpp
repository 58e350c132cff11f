// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "correlation.hpp"
#include "tessera/domain/box.hpp"

namespace stitch {

/// The differences of neighbouring pixels of a tile, of which large ones are cut off: what lies above twice
/// the median of their absolute values. A single straight edge, which looks the same all along, then counts
/// no more than the faint texture beside it, which tells where along the edge a tile lies.
class ClippedDifferences {
 public:
  /// The median is that of the part of the tile in these columns and rows.
  ClippedDifferences(const Pixels& tile, tessera::Range columns, tessera::Range rows);
  /// The bytes that the constructor has for the sizes of differences.
  static constexpr std::int64_t bytes_of_sizes = 65536 * sizeof(std::int64_t);

  /// Returns by how much more two tiles are alike at `shift` than tiles would be that have nothing in common,
  /// as `evidence` does, but from clipped differences. Both tiles must have the same extent.
  static double evidence(const ClippedDifferences& first, const ClippedDifferences& second, Shift shift);

 private:
  Extent extent_;
  /// The difference between a pixel and its right neighbour, and that between it and its lower one; 0 where
  /// it has none.
  std::vector<std::int16_t> right_, down_;
};

}  // namespace stitch
