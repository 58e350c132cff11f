// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grid.hpp"

namespace stitch {

/// The numbers in the name of a tile.
struct TileNumbers {
  std::int64_t row = 0;
  std::int64_t column = 0;
  std::int64_t index = 0;
  friend bool operator==(const TileNumbers&, const TileNumbers&) = default;
};

/// A pattern of file names such as `tiles/tile_r{row:3}_c{col:3}.tif`, or with one number, `{index:4}`. The
/// number after the colon is the least number of digits: shorter numbers have zeros in front.
class NamePattern {
 public:
  /// Throws InputError about a pattern that is malformed, without the name of the key.
  explicit NamePattern(const std::string& text);

  /// Whether names have the number of the tile instead of its row and column.
  bool has_index() const { return has_index_; }
  /// The folder of the files; "." if the pattern names none.
  std::string folder() const;
  /// Returns the path of a tile.
  std::string path(const TileNumbers& numbers) const;
  /// Returns the numbers in a file name, which has no folder. Returns nothing if it does not fit the pattern.
  std::optional<TileNumbers> match(std::string_view name) const;

 private:
  struct Part {
    std::string literal = {};
    std::int64_t TileNumbers::*field = nullptr;
    std::size_t width = 0;
  };
  void add_field(const std::string& text);
  bool is_exact(std::size_t part) const;

  std::string folder_;
  std::vector<Part> parts_;
  bool has_index_ = false;
};

/// The order in which a microscope has numbered its tiles.
enum class Order : std::uint8_t { rows, columns, serpentine_rows, serpentine_columns };
/// The names of the orders in decks, in the order of the enumeration.
inline constexpr std::string_view order_names[] = {"rows", "columns", "serpentine_rows",
                                                   "serpentine_columns"};

/// The corner of the plate at which the numbers begin.
struct Corner {
  bool is_right = false;
  bool is_lower = false;
};
/// The names of the corners in decks.
inline constexpr std::string_view corner_names[] = {"upper_left", "upper_right", "lower_left", "lower_right"};

/// What a deck says about the tiles.
struct TileRequest {
  std::string pattern;
  /// The number of rows and columns. If one is not set, it follows from the files.
  std::optional<int> rows = {};
  std::optional<int> columns = {};
  Order order = Order::rows;
  Corner start = {};
  /// Whether tiles may be missing.
  bool skip_missing = false;
};

/// The tiles of a plate and their files.
struct TileFiles {
  Grid grid;
  /// The path of each tile, also of those that are missing.
  std::vector<std::string> paths;
  /// The row and the column of each tile, as its name numbers them. If the name has an index, these are the
  /// place in the grid, from 0.
  std::vector<Cell> names;
};

/// Returns the cell of the tile number `index`, from 0, of a grid.
Cell cell_of(int index, int rows, int columns, Order order, Corner start);

/// Returns the numbers of all files that fit the pattern, in no particular order. Not collective. Throws
/// InputError if there are none.
std::vector<TileNumbers> list_tiles(const TileRequest& request);

/// Returns the tiles whose files `found` lists. The first row and the first column may have any number, such
/// as 0 or 1. Throws InputError if the files do not make up the grid of the request, or if a tile is missing
/// and may not be.
TileFiles arrange(const TileRequest& request, const std::vector<TileNumbers>& found);

}  // namespace stitch
