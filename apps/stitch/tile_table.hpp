// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "fourier.hpp"
#include "tile_names.hpp"

namespace stitch {

/// A tile and where the stage was to take it, in pixels.
struct NominalTile {
  std::string path;
  double x = 0;
  double y = 0;
};

/// Returns the tiles of a table, whose first line is `file,x,y`. Files lie in the folder of the table unless
/// their paths begin with /. Throws InputError, with the line of the table, if it is faulty or has no tiles.
std::vector<NominalTile> read_tile_table(const std::string& path, const std::string& text);

/// Returns the grid that tiles of this size make up. Positions lie in the same column or row if they differ
/// by less than half of the distance of neighbours. Rows and columns are numbered from 0, and those that have
/// no tile are counted: how many there are in a gap follows from the distance of the others. Throws
/// InputError about `path` if two tiles have the same place, or if a place has none and tiles may not be
/// missing.
TileFiles arrange_table(const std::string& path, const std::vector<NominalTile>& tiles, Extent extent,
                        bool skip_missing);

/// Returns the share of a tile that its neighbours show, too, by the mean distance of the outermost tiles.
/// The smaller of the two directions counts.
double overlap_of(const TileFiles& files, const std::vector<NominalTile>& tiles, Extent extent);

}  // namespace stitch
