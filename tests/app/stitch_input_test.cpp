// SPDX-License-Identifier: BSD-3-Clause
// How tessera-stitch treats missing tiles, tables and bad input.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "messages.hpp"
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
  expect_refusal(refused, {"t_r01_c01.png:", "is missing", "missing=skip"});
  EXPECT_FALSE(folder.names().contains("p.csv"));
  expect_done(stitch(folder, 2, {"output.positions=p.csv", "missing=skip"}));
  auto expected = positions_in(plate.positions());
  expected.erase({1, 1});
  EXPECT_EQ(positions_in(folder.read("p.csv")), expected);
}

/// Two noisy tiles of 40 x 30, the second one 24 pixels below the first one, under a pattern of the camera
/// that is the same in all rows.
TEST(StitchInputTest, AGivenOverlapBoundsShiftsFromBothSides) {
  const Folder folder;
  std::mt19937 random(45);
  const auto below = [&](unsigned limit) { return static_cast<int>(random() % limit); };
  std::vector<int> plate(40 * 54), pattern(40);
  for (int& value : plate) value = below(3000);
  for (int& value : pattern) value = below(6000);
  const auto write = [&](const char* name, int top, bool is_blank) {
    const auto pixel = [&](auto x, auto y, int) {
      const auto at = static_cast<std::size_t>(x), place = static_cast<std::size_t>(top) * 40 + 40 * y + at;
      return is_blank ? 500 : 20000 + plate[place] + pattern[at] + below(3000);
    };
    io_test::write_plain_png(folder / name, io_test::make_png(40, 30, PNG_COLOR_TYPE_GRAY, 16, pixel));
  };
  write("t_r00_c00.png", 0, false);
  write("t_r01_c00.png", 24, false);
  expect_done(stitch(folder, 1, {"output.positions=p.csv", "threads=1"}));
  const auto found = positions_in(folder.read("p.csv"));
  EXPECT_NEAR(found.at({1, 0}).second - found.at({0, 0}).second, 24, 6);
  write("t_r01_c00.png", 0, true);
  const ParallelEnding blank = stitch(folder, 1, {"output.positions=p.csv", "threads=1"});
  expect_done(blank);
  EXPECT_EQ(lines_with(blank.output, "warning: few pairs agree").size(), 1U) << blank.output;
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
  expect_refusal(refused, {"table.csv:", "no tile in row 1", "missing=skip"});
  Words skipping = words;
  skipping.emplace_back("missing=skip");
  const ParallelEnding ending = run_on_ranks(TESSERA_STITCH, 2, folder, skipping);
  expect_done(ending);
  const Words warnings = lines_with(ending.output, "warning: ");
  ASSERT_EQ(warnings.size(), 1U) << ending.output;
  test::expect_message(warnings.front(), {"no pair joins", "2 parts of the plate"});
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
  expect_refusal(refused, {"table.csv:", "there is no file t_r00_c00.png"});
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
  expect_refusal(run_on_ranks(TESSERA_STITCH, 2, folder, skipping),
                 {"table.csv:", "there is none of its files"});
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
  test::expect_message(error("input.tiles=t_r{row:2}_c{col:2}.png"),
                       {"'input.overlap':", "share of 0.1", "leaves no pixel"});
  test::expect_message(error("input.positions=table.csv"),
                       {"'input.positions':", "share of 0.0625", "leaves no pixel"});
}

/// Input that must be refused with one line.
struct RefusedStitch {
  Words words;
  Words told;
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
      {{"input.overlap=0.005"}, {"'input.overlap':", "share of 0.005", "leaves no pixel"}},
      {{"input.order=columns"}, {"'input.order':", "{row} and {col}", "use {index}"}},
      {{"input.tiles=x{row}_{col}.png"}, {"x0_1.png:", "[0, 121) x [0, 90) of uint8", "are alike"}},
      {{"input.tiles=q{row}_{col}.png"}, {"'input.tiles':", "q{row}_{col}.png", "check the folder"}},
      {{"input.tiles=none/q{row}_{col}.png"}, {"'input.tiles':", "cannot read the folder none/"}},
      {{"input.tiles=q{row}.png"}, {"q{row}.png", "does not number tiles"}},
      {{"input.channel=1"}, {"'input.channel':", "only channel 0"}},
      {{"input.translations=bad.csv"}, {"bad.csv:1:", "the first line", "output.translations"}},
      {{"flat_field.file=x0_0.png"}, {"x0_0.png:", "the flat field is [0, 121)"}},
      {{"flat_field.file=dark.png"}, {"dark.png:", "of the flat field is 0"}},
      {{"output.tiff=none/p.tif"}, {"'output.tiff':", "there is no folder none"}},
      {{"output.tiff=p.csv"}, {"output.tiff: p.csv:", "uses this file already"}},
      {{"output.tiff=t_r00_c00.png"}, {"output.tiff: t_r00_c00.png:", "uses this file already"}},
      {{"memory=1K", "threads=1"}, {"'memory':", "comparing tiles", "319.2 KiB"}},
      {{"--estimate", "--costs", "r.json"}, {"--costs is about pipelines", "runs graphs"}}};
  for (const RefusedStitch& one : cases) {
    Words words = one.words;
    words.insert(words.begin(), "output.positions=p.csv");
    const ParallelEnding ending = stitch(folder, 2, words);
    expect_refusal(ending, one.told);
    EXPECT_FALSE(folder.names().contains("p.csv")) << one.words.front();
  }
  const ParallelEnding cut_off =
      stitch(folder, 2, {"input.tiles=z{row}_{col}.png", "output.positions=p.csv", "output.tiff=p.tif"});
  EXPECT_EQ(cut_off.status, 2) << cut_off.text();
  EXPECT_EQ(lines_with(cut_off.errors, "error: z0_1.png").size(), 1U) << cut_off.errors;
  // Where each task waits then is a matter of time.
  const ParallelEnding stuck =
      stitch(folder, 2, {"output.positions=p.csv", "graph.transforms.count=2", "threads=1"});
  EXPECT_EQ(stuck.rank_statuses, (std::vector<int>{2, 2})) << stuck.text();
  EXPECT_EQ(lines_with(stuck.errors, "raise graph.transforms.count"), lines_with(stuck.errors, "error: "));
  EXPECT_EQ(lines_with(stuck.errors, "error: ").size(), 1U) << stuck.text();
  EXPECT_FALSE(folder.names().contains("p.csv"));
  const ParallelEnding small =
      stitch(folder, 2, {"input.placed=placed.csv", "output.raw=p", "memory=100K", "threads=1"});
  expect_refusal(small, {"'memory':", "composing the plate", "148.3 KiB"});
  const ParallelEnding nothing = stitch(folder, 1, {});
  expect_refusal(nothing, {"nothing to write", "output.positions"});
}

}  // namespace
}  // namespace tessera::app_test
