// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tessera/graph/pairing.hpp"

namespace stitch {

/// Returns the number of a tile or a pair as an index of a vector.
constexpr std::size_t at(int number) { return static_cast<std::size_t>(number); }

/// The place of a tile in the grid. Row 0 is the topmost one, and column 0 the leftmost one.
struct Cell {
  int row = 0;
  int column = 0;
  friend bool operator==(const Cell&, const Cell&) = default;
};

/// The direction in which the second tile of a pair follows the first one.
enum class Direction : std::uint8_t { right, below };

/// Two tiles that are neighbours: `second` lies on the right of `first`, or below it. Tiles are numbered row
/// by row.
struct Pair {
  int first = 0;
  int second = 0;
  Direction direction = Direction::right;
  friend bool operator==(const Pair&, const Pair&) = default;
};

/// A grid of tiles, some of which may be missing.
class Grid {
 public:
  Grid() = default;
  /// Makes a grid in which all tiles are present.
  Grid(int rows, int columns);

  int rows() const { return rows_; }
  int columns() const { return columns_; }
  int size() const { return rows_ * columns_; }
  int number(Cell cell) const { return cell.row * columns_ + cell.column; }
  Cell cell(int tile) const { return {tile / columns_, tile % columns_}; }
  bool has(int tile) const { return present_[at(tile)] != 0; }
  /// Says that there is no such tile.
  void remove(int tile) { present_[at(tile)] = 0; }

  /// Returns all pairs of tiles that are present, by the second tile; that on its left comes first.
  std::vector<Pair> pairs() const;

 private:
  int rows_ = 0;
  int columns_ = 0;
  std::vector<std::uint8_t> present_;
};

/// An order in which the tiles of a grid are read. In chained orders each row, column or diagonal begins
/// where the one before ended.
enum class Traversal : std::uint8_t {
  rows,
  columns,
  diagonals,
  chained_rows,
  chained_columns,
  chained_diagonals
};

/// The names of the traversals in decks, in the order of the enumeration.
inline constexpr std::string_view traversal_names[] = {
    "rows", "columns", "diagonals", "chained_rows", "chained_columns", "chained_diagonals"};

/// The tiles of a rank: a band of rows of the grid. The row above the band belongs to another rank, and is
/// transformed a second time for the pairs between the two bands.
struct Band {
  int begin = 0;
  int end = 0;
  /// Returns the band of one of `ranks` ranks. Bands of several ranks differ by at most one row.
  static Band of_rank(const Grid& grid, int ranks, int rank);
  /// The first row that the band needs: that above it, if there is one.
  int first_row() const { return begin > 0 ? begin - 1 : 0; }
};

/// Returns the traversal of the tiles that a band needs, with the row above it, that needs the fewest
/// transforms: along the shorter side.
Traversal shortest_traversal(const Grid& grid, Band band);

/// Returns the pairs that a rank computes: those whose second tile lies in its band. Tiles keep the numbers
/// that they have in the grid.
std::vector<Pair> pairs_of(const Grid& grid, Band band);

/// Returns the tiles that belong to at least one pair, in the order of a traversal of the rows that a band
/// needs. `pairing` is of the pairs of the band.
std::vector<int> tiles_in_order(const Grid& grid, Band band, const tessera::graph::Pairing& pairing,
                                Traversal traversal);

}  // namespace stitch
