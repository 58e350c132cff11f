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

/// Returns a step of the stage in a file of results, x first.
inline std::pair<int, int> step_in(const std::string& json, const std::string& direction) {
  std::pair<int, int> step{-1, -1};
  const std::size_t start = json.find("\"" + direction + "\"", json.find("\"model\""));
  for (int* const number : {&step.first, &step.second}) {
    const std::size_t at = json.find(number == &step.first ? "\"x\"" : "\"y\"", start);
    EXPECT_NE(at, std::string::npos) << json;
    *number = std::stoi(json.substr(json.find(':', at) + 1));
  }
  return step;
}

/// Returns where the neighbours of a cell and the steps of the stage put it on the average.
inline std::pair<double, double> place_by_model(
    const std::map<std::pair<int, int>, std::pair<int, int>>& positions, std::pair<int, int> cell,
    const std::string& json) {
  double x = 0, y = 0;
  int count = 0;
  for (const auto& [down, right] : {std::pair{0, 1}, {0, -1}, {1, 0}, {-1, 0}}) {
    const auto neighbour = positions.find({cell.first - down, cell.second - right});
    if (neighbour == positions.end()) continue;
    const auto step = step_in(json, down == 0 ? "right" : "below");
    x += neighbour->second.first + (down + right) * step.first;
    y += neighbour->second.second + (down + right) * step.second;
    ++count;
  }
  return {x / count, y / count};
}

}  // namespace tessera::app_test
