// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>
#include <vector>

#include "tessera/domain/box.hpp"

namespace tessera {

/// A processor grid as a schedule asks for it: one entry per dimension, x first; 0 means `auto`. Dimensions
/// without an entry are not distributed. An empty request means the default, slices along y: [1, auto].
struct GridRequest {
  std::vector<int> entries;
  /// The dimensions in the order in which rank numbers run through the grid, fastest first. Those left out
  /// follow in rising order: empty means x fastest.
  std::vector<int> order = {};

  /// Text as in a deck: "[1, auto]".
  std::string text() const;
  bool operator==(const GridRequest&) const = default;
};

/// One digit of a rank number: `size` neighbouring positions along `dimension`.
struct GridDigit {
  int dimension = 0;
  int size = 1;
  bool operator==(const GridDigit&) const = default;
};

/// A grid of ranks. Rank numbers are read in a mixed radix, and each digit places the rank along one
/// dimension. By default there is one digit per dimension, x fastest: rank r sits at (r mod size[0],
/// r / size[0] mod size[1], ...), as in Distributed Halide (section 3.2). Other orders permute the digits;
/// hierarchical grids (node, NUMA domain, rank) have several digits per dimension, so that the ranks of a
/// node own one block of neighbouring blocks.
struct ProcessorGrid {
  int dimensions = 0;
  int size[max_dimensions] = {1, 1, 1, 1};
  /// Slowest first; empty means the default. The sizes of a dimension's digits multiply to `size`.
  std::vector<GridDigit> digits = {};

  using Position = std::array<int, max_dimensions>;
  /// Positions [first, last) per dimension.
  struct Positions {
    Position first = {};
    Position last = {1, 1, 1, 1};
  };

  int rank_count() const;
  /// Where a rank sits.
  Position position(int rank) const { return positions(rank, rank + 1).first; }
  /// The box of positions that holds those of the ranks [first, last), of which there is at least one.
  Positions positions(int first, int last) const;
  /// The rank at a position: the inverse of `position`.
  int rank(const Position& position) const;

  /// The sizes as a deck has them: "[2, 3]".
  std::string text() const;
  bool operator==(const ProcessorGrid&) const = default;
};

/// How a dimension is cut into slices.
enum class Slicing : std::uint8_t {
  ceil,     ///< All of ceil(extent / n) points, but for the last; trailing slices may be empty.
  balanced  ///< Sizes differ by at most one point.
};

/// What the `auto` entries of a grid are chosen for.
struct GridTarget {
  /// Points that a rank reads beyond its block, below and above, per dimension: the footprint.
  std::array<std::int64_t, max_dimensions> below = {1, 1, 1, 1};
  std::array<std::int64_t, max_dimensions> above = {1, 1, 1, 1};
  Slicing slicing = Slicing::ceil;
  /// The machine, outermost level first: nodes, NUMA domains per node, ranks per domain. They multiply to
  /// the rank count. Empty means one level.
  std::vector<int> levels = {};
};

/// Fills in the `auto` entries of `request` so that the grid has exactly `rank_count` ranks. Of all such
/// grids it takes one that leaves the fewest ranks idle; of those the one whose ranks read the fewest points
/// of each other, `box` being the array and `target` what they read; of equal ones the grid that keeps rows
/// whole. With several levels the outermost are settled first: their messages are the dearest. Throws
/// InputError when no choice multiplies to `rank_count`, when the request has more entries than `box` has
/// dimensions, when its order is not one of dimensions, or the levels do not multiply to `rank_count`.
ProcessorGrid resolve_grid(const GridRequest& request, const Box& box, int rank_count,
                           const GridTarget& target = {});

/// Points that the ranks of a grid read of each other in all: the sum over ranks of what a block grown by the
/// footprint holds beyond the block, within `box`, which must not be empty. Costs no more for many ranks than
/// for few.
double ghost_points(const ProcessorGrid& grid, const Box& box, const GridTarget& target = {});

}  // namespace tessera
