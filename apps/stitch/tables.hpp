// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "positions.hpp"
#include "tiles.hpp"

// Tables of tiles and pairs, which a run reads or writes.
namespace stitch {

/// The file of a tile and its nominal position, where the stage should have taken it, in pixels.
struct NominalTile {
  std::string path;
  double x = 0, y = 0;
};

/// Returns the tiles of a table, whose first line is `file,x,y`. Files lie in the folder of the table unless
/// their paths begin with /. Throws InputError, with the line of the table, if it is faulty or has no tiles.
std::vector<NominalTile> read_tile_table(const std::string& path, const std::string& text);

/// Returns the grid of tiles of the size `extent`. Positions lie in the same column or row if they differ by
/// less than half of the distance of neighbours. Rows and columns are numbered from 0, with those that have
/// no tile: the number of these in a gap follows from the distances of the other ones. The overlap is the
/// smaller one of the overlaps along x and y. Each follows from the distance of the outermost tiles and the
/// number of tiles between them. Throws InputError about `path` if two tiles have the same place in the grid,
/// or if a place has no tile and tiles may not be missing.
TileFiles arrange_table(const std::string& path, const std::vector<NominalTile>& tiles, Extent extent,
                        bool skip_missing);

/// Returns the positions of all tiles that are present as CSV, beginning with the line `row,col,x,y`. Rows
/// and columns are numbered as in the names of the files.
std::string positions_csv(const TileFiles& tiles, const std::vector<Position>& positions);

/// Returns the positions from a file that `positions_csv` has written. Throws InputError, with the line of
/// the file, unless it has each tile that is present exactly once, at coordinates from 0 on. It may have
/// other tiles only if `ignore_others` is true.
std::vector<Position> read_positions(const std::string& path, const std::string& text, const TileFiles& tiles,
                                     bool ignore_others);

/// Returns the translations as CSV, with all digits, so that a later run can go on from them.
std::string translations_csv(const TileFiles& tiles, const Pairs& pairs,
                             const std::vector<Translation>& translations);

/// Returns the translations of the pairs from a file that `translations_csv` has written. Throws InputError,
/// with the line of the file, if it does not have each pair exactly once, if a number is not finite, or if
/// tiles of the size `extent` have nothing in common at a shift.
std::vector<Translation> read_translations(const std::string& path, const std::string& text,
                                           const TileFiles& tiles, const Pairs& pairs, Extent extent);

/// The results of a run. The lists `measured` and `placements` have an element for each pair: its translation
/// as it was measured, and its final placement.
struct Results {
  std::vector<Translation> measured = {};
  Placements placements = {};
  StageModel model = {};
  std::vector<Position> positions = {};
  /// The tiles that lie where the model puts them.
  std::vector<int> by_model = {};
};

/// Returns a table of all pairs as CSV: what was measured, and what was taken instead.
std::string pairs_csv(const TileFiles& tiles, const Results& results);

/// Returns everything that was found as JSON.
std::string results_json(const TileFiles& tiles, const Results& results);

}  // namespace stitch
