// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "tessera/app/file_patterns.hpp"

// The grid of tiles, the order in which tiles are read, and the files of tiles. Lists of names are in the
// order of their enumerations.
namespace stitch {

/// Returns the number of a tile or a pair as an index of a vector.
constexpr std::size_t at(int number) { return static_cast<std::size_t>(number); }

/// The place of a tile in the grid. Row 0 is the topmost one, and column 0 the leftmost one.
struct Cell {
  int row = 0, column = 0;
  friend bool operator==(const Cell&, const Cell&) = default;
};

/// The direction in which the second tile of a pair follows the first one.
enum class Direction : std::uint8_t { right, below };

/// Two tiles that are neighbours: `second` lies on the right of `first`, or below it.
struct Pair {
  int first = 0, second = 0;
  Direction direction = Direction::right;
  friend bool operator==(const Pair&, const Pair&) = default;
};

using Pairs = std::vector<Pair>;

/// A grid of tiles, which are numbered row by row. Some may be missing.
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
  bool has(const Pair& pair) const {
    return has(pair.first) && has(pair.second) && without_[at(pair.second)][at(int(pair.direction))] == 0;
  }
  /// Returns the tiles that are present.
  std::vector<int> tiles() const;
  /// Says that a tile is missing.
  void remove(int tile) { present_[at(tile)] = 0; }
  /// Takes a pair out of the grid, whose tiles stay.
  void remove(const Pair& pair) { without_[at(pair.second)][at(int(pair.direction))] = 1; }
  /// Returns all pairs of tiles that are present, in the order of their second tiles. The pair with the tile
  /// on the left comes before the pair with the tile above.
  Pairs pairs() const;
  static auto members(auto& grid) {
    return std::tie(grid.rows_, grid.columns_, grid.present_, grid.without_);
  }

 private:
  int rows_ = 0, columns_ = 0;
  std::vector<std::uint8_t> present_;
  /// For each tile, whether its pair with the tile on the left was removed, and whether its pair with the
  /// tile above was: 1 or 0.
  std::vector<std::array<std::uint8_t, 2>> without_;
};

/// An order in which the tiles of a grid are read. In chained orders each row, column or diagonal begins
/// where the one before ended.
enum class Traversal { rows, columns, diagonals, chained_rows, chained_columns, chained_diagonals };
inline constexpr std::string_view traversal_names[] = {
    "rows", "columns", "diagonals", "chained_rows", "chained_columns", "chained_diagonals"};

/// How a rank gets the transforms of the halo, the row of tiles above its band.
enum class Halo : std::uint8_t {
  recompute,  ///< It reads and transforms these tiles, too.
  send        ///< The rank that has them in its band sends their pixels and transforms.
};
inline constexpr std::string_view halo_names[] = {"recompute", "send"};

/// The tiles of a rank: a band of rows of the grid.
struct Band {
  int begin = 0, end = 0;
  /// Returns the band of one of `ranks` ranks. Bands of several ranks differ by at most one row.
  static Band of_rank(const Grid& grid, int ranks, int rank);
  /// Returns the rows whose tiles are transformed on the rank of the band.
  Band transformed(Halo halo) const {
    return {halo == Halo::recompute && begin > 0 ? begin - 1 : begin, end};
  }
};

/// Returns the ranks that need the transforms of a row: the rank whose band has the row, and the rank whose
/// band has the row below it.
std::vector<int> ranks_that_need(const Grid& grid, int ranks, int row);

/// Returns the pairs that a rank computes: those whose second tile lies in its band.
Pairs pairs_of(const Grid& grid, Band band);

/// Returns the tiles that the rank of a band transforms, which are those with a pair that needs their
/// transform from this rank. They are in the order of `traversal`, or without it column by column if the band
/// is wider than it is high, and otherwise row by row.
std::vector<int> tiles_in_order(const Grid& grid, Band band, Halo halo, std::optional<Traversal> traversal);

/// The numbers in the name of a tile.
struct TileNumbers {
  std::int64_t row = 0, column = 0, index = 0, z = 0, channel = 0;
  friend auto operator<=>(const TileNumbers&, const TileNumbers&) = default;
};

/// Returns the pattern of the paths of tiles, such as `tiles/tile_r{row:3}_c{col:3}.tif`, or with one number,
/// `{index:4}`. It may also have the number of the slice, `{z:2}`, and that of the channel, `{channel}`. The
/// fields of the pattern are numbered in the order of TileNumbers. Throws InputError about a pattern that is
/// malformed, without the name of the key.
tessera::app::NamePattern tile_pattern(const std::string& text);
/// The numbers of the fields {index} and {z}.
inline constexpr int index_field = 2, z_field = 3;

/// Returns the path of the tile with some numbers.
std::string path_of(const tessera::app::NamePattern& pattern, const TileNumbers& numbers);

/// The order in which a microscope has numbered its tiles.
enum class Order : std::uint8_t { rows, columns, serpentine_rows, serpentine_columns };
inline constexpr std::string_view order_names[] = {"rows", "columns", "serpentine_rows",
                                                   "serpentine_columns"};

/// The corner of the plate at which the numbers begin.
struct Corner {
  bool is_right = false, is_lower = false;
};
inline constexpr std::string_view corner_names[] = {"upper_left", "upper_right", "lower_left", "lower_right"};

/// The settings of a deck about the tiles. The number of rows or columns follows from the files if it is not
/// set.
struct TileRequest {
  std::string pattern;
  std::optional<int> rows = {}, columns = {};
  Order order = Order::rows;
  Corner start = {};
  /// True when tiles may be missing.
  bool skip_missing = false;
};

/// The tiles of a plate and their files.
struct TileFiles {
  Grid grid;
  /// The path of each tile, empty if it is missing, where a table names the tiles. The list is empty where a
  /// pattern names them.
  std::vector<std::string> paths = {};
  /// The row and the column of each tile as in its name, or else in the grid.
  std::vector<Cell> names = {};
  /// The numbers of the slices in z and of the channels, as in the names, or a single 0 if the names have no
  /// such numbers. A plane is a channel of a slice. Planes are numbered slice by slice.
  std::vector<std::int64_t> slices = {0}, channels = {0};
  /// The pattern of the paths, and the index of each tile if names have one.
  tessera::app::NamePattern pattern = {};
  std::vector<std::int64_t> indices = {};
  /// The expected share of a tile that its neighbour shows, too, and the greatest share that a translation
  /// may give.
  double overlap = 0, most_overlap = 1;
  /// The plane that is compared.
  int compared = 0;

  int planes() const { return static_cast<int>(slices.size() * channels.size()); }
  /// Returns the numbers in the name of a tile in a plane. There must be a pattern.
  TileNumbers numbers(int tile, int plane) const;
  /// Returns the path of a tile in a plane. Where a pattern names the tiles, missing ones have a path, too.
  std::string path(int tile, int plane) const;
  /// Returns the path of a tile in the plane that is compared.
  std::string path(int tile) const { return path(tile, compared); }
  static auto members(auto& files) {
    return std::tie(files.grid, files.paths, files.names, files.slices, files.channels, files.pattern,
                    files.indices, files.overlap, files.most_overlap, files.compared);
  }
};

/// Returns the cell of the tile number `index`, from 0, of a grid.
Cell cell_of(int index, int rows, int columns, Order order, Corner start);

/// Returns the numbers of all files that fit the pattern, in no particular order. Not collective. Throws
/// InputError if there are none.
std::vector<TileNumbers> list_tiles(const TileRequest& request);

/// Returns the tiles whose files `found` lists. The first row and the first column may have any number, such
/// as 0 or 1. A tile that lacks a plane is missing as a whole. Throws InputError if the files do not make up
/// the grid of the request, if a tile is missing although this is not allowed, or if all tiles are missing.
TileFiles arrange(const TileRequest& request, std::vector<TileNumbers> found);

}  // namespace stitch
