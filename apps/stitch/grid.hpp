// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

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

/// How a rank gets the transforms of the halo, the row of tiles above its band, for the pairs between the
/// two.
enum class Halo : std::uint8_t {
  recompute,  ///< It reads and transforms these tiles, too.
  send        ///< The rank that has them in its band sends their pixels and transforms.
};

/// The names of the ways in decks, in the order of the enumeration.
inline constexpr std::string_view halo_names[] = {"recompute", "send"};

/// The tiles of a rank: a band of rows of the grid.
struct Band {
  int begin = 0;
  int end = 0;
  /// Returns the band of one of `ranks` ranks. Bands of several ranks differ by at most one row.
  static Band of_rank(const Grid& grid, int ranks, int rank);
  /// Returns the rows whose tiles are transformed on the rank of the band: with a halo to recompute also the
  /// row above the band, if there is one.
  Band transformed(Halo halo) const {
    return {halo == Halo::recompute && begin > 0 ? begin - 1 : begin, end};
  }
};

/// Returns the ranks that need the transforms of a row: that in whose band it lies, and that in whose band
/// the row below it lies.
std::vector<int> ranks_that_need(const Grid& grid, int ranks, int row);

/// Returns the traversal of some rows that needs the fewest transforms: along the shorter side.
Traversal shortest_traversal(const Grid& grid, Band rows);

/// Returns the pairs that a rank computes: those whose second tile lies in its band. Tiles keep the numbers
/// that they have in the grid.
std::vector<Pair> pairs_of(const Grid& grid, Band band);

/// Returns the tiles that are transformed on the rank of a band, in the order of a traversal: those of its
/// rows (see Band::transformed) that belong to at least one pair which needs their transform from this rank.
/// Without a traversal it is the shortest one.
std::vector<int> tiles_in_order(const Grid& grid, Band band, Halo halo, std::optional<Traversal> traversal);

}  // namespace stitch
