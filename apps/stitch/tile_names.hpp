// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grid.hpp"
#include "name_pattern.hpp"

namespace stitch {

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
  /// The path of each tile that a table names; empty for those that are missing, or if there is a pattern.
  std::vector<std::string> paths = {};
  /// The row and the column of each tile, as its name numbers them. If the name has an index, these are the
  /// place in the grid, from 0.
  std::vector<Cell> names = {};
  /// The numbers of the slices in z, and those of the channels, as the names have them; 0 where they have
  /// none. There is a plane for each channel of each slice: one channel after the other, and one slice after
  /// the other.
  std::vector<std::int64_t> slices = {0};
  std::vector<std::int64_t> channels = {0};
  /// The pattern of the names, and the index of each tile if names have one.
  std::optional<NamePattern> pattern = {};
  std::vector<std::int64_t> indices = {};
  /// The plane that is compared.
  int compared = 0;

  int planes() const { return static_cast<int>(slices.size() * channels.size()); }
  /// Returns the numbers in the name of a tile in a plane. There must be a pattern.
  TileNumbers numbers(int tile, int plane) const;
  /// Returns the path of a tile in a plane, also of one that a pattern numbers but that is missing.
  std::string path(int tile, int plane) const;
  /// Returns the path of a tile in the plane that is compared.
  std::string path(int tile) const { return path(tile, compared); }
};

/// Returns the cell of the tile number `index`, from 0, of a grid.
Cell cell_of(int index, int rows, int columns, Order order, Corner start);

/// Returns the numbers of all files that fit the pattern, in no particular order. Not collective. Throws
/// InputError if there are none.
std::vector<TileNumbers> list_tiles(const TileRequest& request);

/// Returns the tiles whose files `found` lists. The first row and the first column may have any number, such
/// as 0 or 1. A tile that lacks a plane is missing as a whole. Throws InputError if the files do not make up
/// the grid of the request, if a tile is missing and may not be, or if all are.
TileFiles arrange(const TileRequest& request, std::vector<TileNumbers> found);

}  // namespace stitch
