// SPDX-License-Identifier: BSD-3-Clause
// Tiles of a real photograph: straight edges, plain backgrounds and all.
#include <gtest/gtest.h>

#include <cstdlib>

#include "stitch_runs.hpp"

namespace tessera::app_test {
namespace {

class StitchPhotographTest : public testing::TestWithParam<Cut> {};

std::vector<Cut> cuts() {
  const std::vector<Cut> shapes{
      {.rows = 2, .columns = 2, .width = 320, .height = 215, .overlap = 0.2},
      {.rows = 1, .columns = 7, .width = 102, .height = 390, .overlap = 0.2},
      {.rows = 7, .columns = 1, .width = 590, .height = 67, .overlap = 0.2},
      {.rows = 8, .columns = 8, .width = 100, .height = 66, .overlap = 0.3, .blank = {{3, 4}, {7, 0}}},
      {.rows = 13, .columns = 7, .width = 128, .height = 48, .overlap = 0.4, .blank = {{0, 6}, {8, 2}}}};
  std::vector<Cut> cuts;
  for (unsigned seed = 71; const Cut& shape : shapes)
    for (const auto& [noise, shade] : {std::pair{0.0, 0.0}, {0.004, 0.3}, {0.01, 0.3}}) {
      Cut cut = shape;
      cut.seed = seed++;
      cut.bits = 8;
      cut.noise = noise;
      cut.shade = shade;
      cut.is_photograph = true;
      cuts.push_back(cut);
    }
  return cuts;
}

TEST_P(StitchPhotographTest, PositionsAreExactButForBlankTiles) {
  const Cut& cut = GetParam();
  const Folder folder;
  CutPlate plate(cut);
  plate.write_all(folder);
  const auto run = [&](int ranks, Words words) {
    words.insert(words.end(), {"output.positions=p.csv", "output.pairs=a.csv",
                               "input.overlap=" + std::to_string(cut.overlap)});
    expect_done(stitch(folder, ranks, words));
    return folder.read("p.csv") + folder.read("a.csv");
  };
  const std::string first = run(1, {"threads=2"});
  const auto found = positions_in(folder.read("p.csv"));
  // A blank tile may have the least coordinate.
  const auto a_tile = std::pair{0, 0}, truth = plate.corner(0, 0);
  const int x = found.at(a_tile).first - truth.first, y = found.at(a_tile).second - truth.second;
  for (const auto& [cell, position] : found) {
    const auto corner = plate.corner(cell.first, cell.second);
    // For a blank tile its own jitter, and the mean of those of its neighbours.
    const int tolerance = cut.blank.contains(cell) ? 2 * cut.jitter + 1 : 0;
    EXPECT_LE(std::abs(position.first - x - corner.first), tolerance) << cell.first << " " << cell.second;
    EXPECT_LE(std::abs(position.second - y - corner.second), tolerance) << cell.first << " " << cell.second;
  }
  EXPECT_TRUE(run(2, {"threads=1", "graph.halo=send", "traversal=diagonals"}) == first);
  if (cut.blank.empty()) return;
  EXPECT_TRUE(run(3, {"threads=1", "traversal=chained_rows", "graph.search.workers=1"}) == first);
  EXPECT_TRUE(run(4, {"threads=1", "traversal=columns", "graph.window=1"}) == first);
}

INSTANTIATE_TEST_SUITE_P(Cuts, StitchPhotographTest, testing::ValuesIn(cuts()), [](const auto& info) {
  return "cut_" + std::to_string(info.index) + "_" + std::to_string(info.param.rows) + "x" +
         std::to_string(info.param.columns);
});

}  // namespace
}  // namespace tessera::app_test
