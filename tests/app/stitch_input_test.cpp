// SPDX-License-Identifier: BSD-3-Clause
// What tessera-stitch makes of tiles that are missing, of tables, and of bad input.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "stitch_runs.hpp"

namespace tessera::app_test {
namespace {

TEST(StitchInputTest, ATableOfNominalPositions) {
  const Folder folder;
  CutPlate plate({.rows = 3, .columns = 4, .overlap = 0.25, .seed = 18, .noise = 0.01});
  std::string table = "file,x,y\n";
  for (int row = 0; row < 3; ++row)
    for (int column = 3; column >= 0; --column) {
      const std::string name = "tile " + std::to_string(7 * row + column) + ".png";
      plate.write(row, column, folder / name);
      table +=
          name + "," + std::to_string(90 * column + row) + ".5," + std::to_string(67 * row - column) + "\n";
    }
  folder.write("table.csv", table);
  const Words words{"input.positions=table.csv", "output.positions=p.csv", "threads=1"};
  expect_done(run_on_ranks(TESSERA_STITCH, 2, folder, words));
  EXPECT_EQ(folder.read("p.csv"), plate.positions());
}

TEST(StitchInputTest, MissingTilesAreSkippedOrRefused) {
  const Folder folder;
  CutPlate plate({.rows = 3, .columns = 3, .seed = 13});
  plate.write_all(folder);
  std::filesystem::remove(folder / "t_r01_c01.png");
  const ParallelEnding refused = stitch(folder, 2, {"output.positions=p.csv"});
  EXPECT_EQ(refused.rank_statuses, (std::vector<int>{2, 2}));
  EXPECT_EQ(lines_with(refused.errors, "error"),
            Words{"tessera-stitch: error: t_r01_c01.png: this tile, of row 1 and column 1, is missing: add "
                  "it, or give missing=skip"});
  EXPECT_FALSE(folder.names().contains("p.csv"));
  expect_done(stitch(folder, 2, {"output.positions=p.csv", "missing=skip"}));
  auto expected = positions_in(plate.positions());
  expected.erase({1, 1});
  EXPECT_EQ(positions_in(folder.read("p.csv")), expected);
}

/// The table of the nominal positions of a plate with the steps of 96 and 72 pixels of default cuts.
std::string nominal_table(const CutPlate& plate, int rows, int columns, int absent_row) {
  std::string table = "file,x,y\r\n";
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column)
      if (row != absent_row)
        table += plate.name(row, column) + "," + std::to_string(96 * column) + "," +
                 std::to_string(72 * row) + "\r\n";
  return table + "\r\n";
}

TEST(StitchInputTest, ARowThatATableLacksStaysMissing) {
  const Folder folder;
  CutPlate plate({.rows = 4, .columns = 3, .seed = 23});
  plate.write_all(folder);
  folder.write("table.csv", nominal_table(plate, 4, 3, 1));
  const Words words{"input.positions=table.csv", "output.positions=p.csv", "threads=1"};
  const ParallelEnding refused = run_on_ranks(TESSERA_STITCH, 2, folder, words);
  EXPECT_EQ(refused.rank_statuses, (std::vector<int>{2, 2}));
  EXPECT_EQ(
      lines_with(refused.errors, "error: "),
      Words{"tessera-stitch: error: table.csv: there is no tile in row 1 and column 0, from 0: add it, or "
            "give missing=skip"});
  Words skipping = words;
  skipping.emplace_back("missing=skip");
  const ParallelEnding ending = run_on_ranks(TESSERA_STITCH, 2, folder, skipping);
  expect_done(ending);
  EXPECT_EQ(
      lines_with(ending.output, "warning: "),
      Words{"warning: 2 parts of the plate lie to each other as the model puts them: no pair joins them"});
  auto expected = positions_in(plate.positions());
  for (int column = 0; column < 3; ++column) expected.erase({1, column});
  const auto found = positions_in(folder.read("p.csv"));
  ASSERT_EQ(found.size(), expected.size());
  for (const auto& [cell, position] : expected) {
    EXPECT_NEAR(found.at(cell).first, position.first, 12);
    EXPECT_NEAR(found.at(cell).second, position.second, 12);
  }
}

TEST(StitchInputTest, FilesOfATableThatAreMissing) {
  const Folder folder;
  CutPlate plate({.rows = 3, .columns = 3, .seed = 24});
  plate.write_all(folder);
  folder.write("table.csv", nominal_table(plate, 3, 3, -1));
  std::filesystem::remove(folder / "t_r00_c00.png");
  std::filesystem::remove(folder / "t_r01_c02.png");
  const Words words{"input.positions=table.csv", "output.positions=p.csv", "threads=1"};
  const ParallelEnding refused = run_on_ranks(TESSERA_STITCH, 2, folder, words);
  EXPECT_EQ(refused.rank_statuses, (std::vector<int>{2, 2}));
  EXPECT_EQ(lines_with(refused.errors, "error: "),
            Words{"tessera-stitch: error: table.csv: there is no file t_r00_c00.png: add it, or give "
                  "missing=skip"});
  Words skipping = words;
  skipping.emplace_back("missing=skip");
  expect_done(run_on_ranks(TESSERA_STITCH, 2, folder, skipping));
  auto expected = positions_in(plate.positions());
  expected.erase({0, 0});
  expected.erase({1, 2});
  std::pair<int, int> least{1000, 1000};
  for (const auto& [cell, position] : expected)
    least = {std::min(least.first, position.first), std::min(least.second, position.second)};
  for (auto& [cell, position] : expected)
    position = {position.first - least.first, position.second - least.second};
  EXPECT_EQ(positions_in(folder.read("p.csv")), expected);
  for (const auto& [cell, position] : expected)
    std::filesystem::remove(folder / plate.name(cell.first, cell.second));
  EXPECT_EQ(
      lines_with(run_on_ranks(TESSERA_STITCH, 2, folder, skipping).errors, "error: "),
      Words{"tessera-stitch: error: table.csv: there is none of its files, such as t_r00_c00.png: correct "
            "their paths"});
}

TEST(StitchInputTest, PlacedTilesMayBeMissing) {
  const Folder folder;
  CutPlate plate({.rows = 2, .columns = 2, .seed = 25});
  plate.write_all(folder);
  folder.write("p.csv", plate.positions());
  std::filesystem::remove(folder / "t_r01_c01.png");
  expect_done(stitch(folder, 2, {"input.placed=p.csv", "missing=skip", "output.raw=plate", "threads=1"}));
  // Nothing is compared, so that tiles need not show anything in common.
  expect_done(stitch(folder, 1, {"input.placed=p.csv", "missing=skip", "input.overlap=0", "output.raw=b"}));
  EXPECT_TRUE(folder.read("plate") == folder.read("b"));
}

TEST(StitchInputTest, TheOverlapThatIsTooSmallIsNamed) {
  const Folder folder;
  CutPlate plate({.rows = 1, .columns = 2, .width = 8, .height = 8, .jitter = 0});
  plate.write_all(folder);
  folder.write("table.csv", "file,x,y\nt_r00_c00.png,0,0\nt_r00_c01.png,7.5,0\n");
  const auto error = [&](const std::string& tiles) {
    const ParallelEnding ending = run_on_ranks(TESSERA_STITCH, 1, folder, {tiles, "output.positions=p.csv"});
    const Words lines = lines_with(ending.errors, "error: ");
    return lines.size() == 1 ? lines.front() : ending.text();
  };
  EXPECT_EQ(error("input.tiles=t_r{row:2}_c{col:2}.png"),
            "tessera-stitch: error: command line (default): 'input.overlap': a share of 0.1 of tiles of 8 x "
            "8 leaves no pixel: give the "
            "share that neighbours both show");
  EXPECT_EQ(error("input.positions=table.csv"),
            "tessera-stitch: error: command line: 'input.positions=table.csv': 'input.positions': a share of "
            "0.0625 of tiles of 8 x 8 leaves no pixel: give the share that neighbours both show");
}

/// What must be refused, with one line.
struct RefusedStitch {
  Words words;
  std::string message;
};

TEST(StitchInputTest, BadInputIsToldInOneLine) {
  const Folder folder;
  CutPlate plate({.rows = 2, .columns = 3, .seed = 16});
  plate.write_all(folder);
  CutPlate other({.rows = 2, .columns = 2, .width = 121, .bits = 8});
  other.write(0, 0, folder / "x0_0.png");
  plate.write(0, 0, folder / "x0_1.png");
  folder.write("y0.png", "no image");
  folder.write("bad.csv", "row,col\n");
  folder.write("placed.csv", plate.positions());
  io_test::write_plain_png(
      folder / "dark.png",
      io_test::make_png(120, 90, PNG_COLOR_TYPE_GRAY, 16, [](auto x, auto, int) { return x == 7 ? 0 : 9; }));
  std::filesystem::copy_file(folder / "t_r00_c00.png", folder / "z0_0.png");
  folder.write("z0_1.png", folder.read("t_r00_c01.png").substr(0, 4000));
  const std::vector<RefusedStitch> cases{
      {{"input.overlap=0.005"},
       "command line: 'input.overlap=0.005': 'input.overlap': a share of 0.005 of tiles of 120 x 90 leaves "
       "no pixel: give the share that neighbours both show"},
      {{"input.order=columns"},
       "command line: 'input.order=columns': 'input.order': names with {row} and {col} tell where tiles lie: "
       "leave it out, or use {index}"},
      {{"input.tiles=x{row}_{col}.png"},
       "x0_1.png: this tile is [0, 120) x [0, 90) of uint16, but x0_0.png is [0, 121) x [0, 90) of uint8: "
       "tiles of one plate are alike"},
      {{"input.tiles=q{row}_{col}.png"},
       "'input.tiles': no file is called as q{row}_{col}.png says: check the folder and the digits"},
      {{"input.tiles=none/q{row}_{col}.png"},
       "'input.tiles': cannot read the folder none/: No such file or directory"},
      {{"input.tiles=q{row}.png"},
       "q{row}.png does not number tiles: write {row} and {col} once each into the file name, or {index}, "
       "such as tile_r{row:3}_c{col:3}.tif"},
      {{"input.channel=1"},
       "command line: 'input.channel=1': 'input.channel': there is only channel 0: leave it out"},
      {{"input.translations=bad.csv"},
       "bad.csv:1: the first line is not row,col,neighbour,x,y,correlation,evidence,peak: write the file "
       "anew with output.translations"},
      {{"flat_field.file=x0_0.png"},
       "x0_0.png: the flat field is [0, 121) x [0, 90), but tiles are [0, 120) x [0, 90): it has one value "
       "for each pixel"},
      {{"flat_field.file=dark.png"},
       "dark.png: a pixel of the flat field is 0: all must be finite and above 0"},
      {{"output.tiff=none/p.tif"},
       "command line: 'output.tiff=none/p.tif': 'output.tiff': there is no folder none: create it, or write "
       "elsewhere"},
      {{"output.tiff=p.csv"},
       "output.tiff: p.csv: the run uses this file already: give it a name of its own"},
      {{"output.tiff=t_r00_c00.png"},
       "output.tiff: t_r00_c00.png: the run uses this file already: give it a name of its own"},
      {{"graph.transforms.count=2", "threads=1"}, "raise graph.transforms.count"},
      {{"memory=1K", "threads=1"},
       "command line: 'memory=1K': 'memory': comparing tiles needs up to 319.2 KiB on a rank: raise it, or "
       "lower "
       "threads or graph.transforms.count"},
      {{"--plan=x"}, "command line: --plan is about pipelines, and this program runs graphs: leave it out"},
      {{"--estimate"},
       "command line: --estimate is about pipelines, and this program runs graphs: leave it out"}};
  for (const RefusedStitch& one : cases) {
    Words words = one.words;
    words.insert(words.begin(), "output.positions=p.csv");
    const ParallelEnding ending = stitch(folder, 2, words);
    EXPECT_EQ(ending.rank_statuses, (std::vector<int>{2, 2})) << one.message << ending.text();
    const Words lines = lines_with(ending.errors, "error: ");
    ASSERT_EQ(lines.size(), 1U) << one.message << ending.errors;
    if (one.message.starts_with("raise") || one.message.starts_with("may"))
      EXPECT_NE(lines[0].find(one.message), std::string::npos) << lines[0];
    else
      EXPECT_EQ(lines[0], "tessera-stitch: error: " + one.message);
    EXPECT_FALSE(folder.names().contains("p.csv")) << one.message;
  }
  const ParallelEnding cut_off =
      stitch(folder, 2, {"input.tiles=z{row}_{col}.png", "output.positions=p.csv", "output.tiff=p.tif"});
  EXPECT_EQ(cut_off.status, 2) << cut_off.text();
  EXPECT_EQ(lines_with(cut_off.errors, "error: z0_1.png").size(), 1U) << cut_off.errors;
  const ParallelEnding small =
      stitch(folder, 2, {"input.placed=placed.csv", "output.raw=p", "memory=100K", "threads=1"});
  EXPECT_EQ(
      lines_with(small.errors, "error: "),
      Words{"tessera-stitch: error: command line: 'memory=100K': 'memory': composing the plate needs up to "
            "135.7 KiB on a rank: raise it, or lower threads or graph.bands.count"});
  const ParallelEnding nothing = stitch(folder, 1, {});
  EXPECT_EQ(lines_with(nothing.errors, "error: "),
            Words{"tessera-stitch: error: nothing to write: give output.positions, output.tiff or another "
                  "output in the deck or as key=value"});
}

}  // namespace
}  // namespace tessera::app_test
