// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "positions.hpp"
#include "tile_names.hpp"

namespace stitch {

/// Returns the positions of all tiles that are present as CSV, beginning with the line `row,col,x,y`. Rows
/// and columns are numbered as in the names of the files.
std::string positions_csv(const TileFiles& tiles, const std::vector<Position>& positions);

/// Returns the positions from a file that `positions_csv` has written. Throws InputError, with the line of
/// the file, if it does not have each tile that is present once, at a place from 0 on, or if it has others
/// and is not to `ignore_others`.
std::vector<Position> read_positions(const std::string& path, const std::string& text, const TileFiles& tiles,
                                     bool ignore_others);

/// Returns the translations as CSV, with all digits, so that a later run can go on from them.
std::string translations_csv(const TileFiles& tiles, const std::vector<Pair>& pairs,
                             const std::vector<Translation>& translations);

/// Returns the translations of the pairs from a file that `translations_csv` has written. Throws InputError,
/// with the line of the file, if it does not have each pair once, if a number is not finite, or if a shift
/// takes a tile of the size `extent` away from the other one.
std::vector<Translation> read_translations(const std::string& path, const std::string& text,
                                           const TileFiles& tiles, const std::vector<Pair>& pairs,
                                           Extent extent);

/// What a run has found.
struct Results {
  std::vector<Pair> pairs = {};
  std::vector<Translation> measured = {};
  std::vector<Placement> placements = {};
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
