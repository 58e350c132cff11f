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
  /// The path of each tile, also of those that are missing: that of the plane that is compared.
  std::vector<std::string> paths;
  /// The row and the column of each tile, as its name numbers them. If the name has an index, these are the
  /// place in the grid, from 0.
  std::vector<Cell> names;
  /// The numbers of the slices in z, and those of the channels, as the names have them; 0 where they have
  /// none.
  std::vector<std::int64_t> slices = {0};
  std::vector<std::int64_t> channels = {0};
  /// The paths of all tiles in each plane, if names have the number of a slice or of a channel: one channel
  /// after the other, and one slice after the other. Else empty.
  std::vector<std::vector<std::string>> planes = {};

  /// Returns the path of a tile in a plane.
  const std::string& path(int tile, int plane) const {
    return planes.empty() ? paths[at(tile)] : planes[at(plane)][at(tile)];
  }
};

/// Returns the cell of the tile number `index`, from 0, of a grid.
Cell cell_of(int index, int rows, int columns, Order order, Corner start);

/// Returns the numbers of all files that fit the pattern, in no particular order. Not collective. Throws
/// InputError if there are none.
std::vector<TileNumbers> list_tiles(const TileRequest& request);

/// Returns the tiles whose files `found` lists. The first row and the first column may have any number, such
/// as 0 or 1. The paths are those of the first plane. A tile that lacks a plane is missing as a whole. Throws
/// InputError if the files do not make up the grid of the request, or if a tile is missing and may not be.
TileFiles arrange(const TileRequest& request, std::vector<TileNumbers> found);

}  // namespace stitch
