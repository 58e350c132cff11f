// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>
#include <vector>

#include "tessera/domain/box.hpp"

namespace tessera {

/// A processor grid as a schedule asks for it. Dimensions without an entry are not distributed. A request
/// without entries means slices along y, [1, auto], and for arrays of one dimension [auto].
struct GridRequest {
  /// The number of ranks along each dimension, x first; 0 means `auto`.
  std::vector<int> entries;
  /// The order in which rank numbers run through the dimensions, fastest first. Dimensions that it leaves out
  /// follow in rising order, so an empty order means x fastest.
  std::vector<int> order = {};

  /// Returns the entries as a deck has them, such as "[1, auto]".
  std::string text() const;
  /// Returns true when entries and order are equal.
  bool operator==(const GridRequest&) const = default;
};

/// One digit of a rank number, which chooses among `size` neighbouring positions along `dimension`.
struct GridDigit {
  /// The dimension along which the digit places a rank.
  int dimension = 0;
  /// The number of values that the digit may have.
  int size = 1;
  /// Returns true when dimension and size are equal.
  bool operator==(const GridDigit&) const = default;
};

/// A grid of ranks. A rank number is read in a mixed radix, and each digit places the rank along one
/// dimension. By default there is one digit per dimension, x fastest: rank r has the position (r mod size[0],
/// r / size[0] mod size[1], ...), as in Distributed Halide (section 3.2). Other orders permute the digits.
/// Hierarchical grids (node, NUMA domain, rank) have several digits per dimension, so that the ranks of a
/// node own neighbouring blocks.
struct ProcessorGrid {
  /// The number of dimensions of the grid.
  int dimensions = 0;
  /// The number of ranks along each dimension, x first.
  int size[max_dimensions] = {1, 1, 1, 1};
  /// The digits of a rank number, slowest first; empty means the default. The sizes of the digits of a
  /// dimension multiply to its `size`.
  std::vector<GridDigit> digits = {};

  /// The position of a rank in the grid, x first, counted from 0.
  using Position = std::array<int, max_dimensions>;
  /// A box of positions in the grid: [first, last) in each dimension.
  struct Positions {
    /// The first position in each dimension.
    Position first = {};
    /// The position after the last one in each dimension.
    Position last = {1, 1, 1, 1};
  };

  /// The number of ranks in the grid.
  int rank_count() const;
  /// Returns the position of a rank.
  Position position(int rank) const { return positions(rank, rank + 1).first; }
  /// Returns a box of positions that holds those of the ranks [first, last), of which there must be at least
  /// one.
  Positions positions(int first, int last) const;
  /// Returns the rank at a position: the inverse of `position`.
  int rank(const Position& position) const;

  /// Returns the sizes as a deck has them, such as "[2, 3]".
  std::string text() const;
  /// Returns true when dimensions, sizes and digits are equal.
  bool operator==(const ProcessorGrid&) const = default;
};

/// The ways in which the extent of a dimension is cut into n slices.
enum class Slicing : std::uint8_t {
  ceil,     ///< Slices have ceil(extent / n) points; the last may have fewer, and trailing ones may be empty.
  balanced  ///< The sizes of slices differ by at most one point.
};

/// The footprint, slicing and machine for which the `auto` entries of a grid are chosen.
struct GridTarget {
  /// The points that a rank reads below its block in each dimension, x first: its footprint.
  std::array<std::int64_t, max_dimensions> below = {1, 1, 1, 1};
  /// The points that a rank reads above its block in each dimension, x first.
  std::array<std::int64_t, max_dimensions> above = {1, 1, 1, 1};
  /// The way in which the dimensions are cut into slices.
  Slicing slicing = Slicing::ceil;
  /// The levels of the machine, outermost first: nodes, NUMA domains per node, ranks per domain. They must
  /// multiply to the rank count. Empty means one level.
  std::vector<int> levels = {};
};

/// Chooses the `auto` entries of `request` for an array that is `box`, so that the grid has exactly
/// `rank_count` ranks. It takes a grid that leaves the fewest ranks idle. Of these it takes the one whose
/// ranks read the fewest points of each other, as `target` says, and of equal ones the grid that keeps rows
/// whole. With several levels the outermost is decided first, because its messages cost most.
///
/// Throws InputError when no choice multiplies to `rank_count`, when the request has more entries than `box`
/// has dimensions, when its order names a dimension twice or one without an entry, or when the levels do not
/// multiply to `rank_count`.
ProcessorGrid resolve_grid(const GridRequest& request, const Box& box, int rank_count,
                           const GridTarget& target = {});

/// Returns how many points the ranks of a grid read of each other in all: the sum over ranks of the points
/// that the block has when it is grown by the footprint, less those of the block, within `box`, which must
/// not be empty. The cost does not grow with the number of ranks.
double ghost_points(const ProcessorGrid& grid, const Box& box, const GridTarget& target = {});

}  // namespace tessera
