// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "stitch_plate.hpp"

// Runs of tessera-stitch on plates that were cut where the tests know.
namespace tessera::app_test {

using Words = std::vector<std::string>;

/// Runs the program with the words on the tiles of `folder`, which a CutPlate has written.
inline ParallelEnding stitch(const Folder& folder, int ranks, Words words) {
  Words all{TESSERA_STITCH_DECKS "/default.yaml", "input.tiles=t_r{row:2}_c{col:2}.png", "input.overlap=0.2"};
  all.insert(all.end(), words.begin(), words.end());
  return run_on_ranks(TESSERA_STITCH, ranks, folder, all);
}

inline void expect_done(const ParallelEnding& ending) { ASSERT_EQ(ending.status, 0) << ending.text(); }

/// The positions in a table, by row and column.
inline std::map<std::pair<int, int>, std::pair<int, int>> positions_in(const std::string& csv) {
  std::map<std::pair<int, int>, std::pair<int, int>> positions;
  std::istringstream lines(csv);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    int row = 0, column = 0, x = 0, y = 0;
    EXPECT_EQ(std::sscanf(line.c_str(), "%d,%d,%d,%d", &row, &column, &x, &y), 4) << line;
    positions[{row, column}] = {x, y};
  }
  return positions;
}

}  // namespace tessera::app_test
