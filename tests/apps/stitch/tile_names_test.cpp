// SPDX-License-Identifier: BSD-3-Clause
// Patterns of file names, and the grids that files make up.
#include "apps/stitch/tiles.hpp"

#include <gtest/gtest.h>

#include <random>

#include "messages.hpp"
#include "support.hpp"

namespace stitch {
namespace {

using tessera::test::expect_message;

TEST(StitchNames, PathsMatchTheirPattern) {
  std::mt19937 random(5);
  for (const char* text :
       {"a/b/t_r{row:3}_c{col:3}.tif", "r{row}c{col}", "{col:2}{row:2}.png", "x{row:2}7{col}.h5"}) {
    const auto pattern = tile_pattern(text);
    for (int i = 0; i < 50; ++i) {
      const std::int64_t row = random() % 100, column = random() % 100;
      const std::string path = path_of(pattern, {.row = row, .column = column});
      EXPECT_EQ(pattern.match(path), (std::vector<std::int64_t>{row, column, 0, 0, 0})) << path;
    }
  }
  EXPECT_EQ(path_of(tile_pattern("a/b/t{index:4}.tif"), {.index = 17}), "a/b/t0017.tif");
}

TEST(StitchNames, FaultyPatternsAreRefused) {
  expect_message(error_of([] { tile_pattern("{index}_{index}"); }), {"{index} more", "leave out"});
  expect_message(error_of([] { tile_pattern("a{row}{col}{z}_{z:2}"); }), {"{z} more", "leave out"});
  expect_message(error_of([] { tile_pattern("a{row}{line}"); }), {"{line}", "{z} or {channel}"});
  for (const char* text : {"a{row}.tif", "{row}{col}{index}", "{z}", "a.tif"})
    expect_message(error_of([&] { tile_pattern(text); }).substr(std::string(text).size()),
                   {"write {row}", "{col} once"});
}

TEST(StitchNames, PlanesAreFoundInTheOrderOfTheirNumbers) {
  std::vector<TileNumbers> found;
  for (const int z : {9, 2, 10})
    for (const int channel : {1, 0})
      for (int row = 0; row < 2; ++row)
        for (int column = 0; column < 2; ++column)
          found.push_back({.row = row, .column = column, .z = z, .channel = channel});
  const TileRequest request{.pattern = "{row}{col}_{z}_{channel}.tif", .skip_missing = true};
  TileFiles tiles = arrange(request, found);
  EXPECT_EQ(tiles.slices, (std::vector<std::int64_t>{2, 9, 10}));
  EXPECT_EQ(tiles.channels, (std::vector<std::int64_t>{0, 1}));
  ASSERT_EQ(tiles.planes(), 6);
  EXPECT_EQ(tiles.path(2, 0), "10_2_0.tif");
  EXPECT_EQ(tiles.path(2, 1), "10_2_1.tif");
  EXPECT_EQ(tiles.path(3, 4), "11_10_0.tif");
  EXPECT_EQ(tiles.path(2), tiles.path(2, 0));
  // A tile that lacks one of its planes is missing.
  found.erase(found.begin() + 13);
  tiles = arrange(request, found);
  for (int tile = 0; tile < 4; ++tile) EXPECT_EQ(tiles.grid.has(tile), tile != 1) << tile;
}

TEST(StitchNames, APlaneThatMostTilesLackIsNamed) {
  std::vector<TileNumbers> found;
  for (int row = 0; row < 4; ++row)
    for (int column = 0; column < 5; ++column)
      for (int z = 1; z <= 3; ++z)
        for (const int channel : {0, 1})
          found.push_back({.row = row, .column = column, .z = z, .channel = channel});
  found.push_back({.z = 9});
  for (const bool skips : {false, true})
    expect_message(
        error_of([&] { arrange({.pattern = "{row}{col}_{z}_{channel}.tif", .skip_missing = skips}, found); }),
        {"more tiles", "slice 9"});
  const TileRequest request{.pattern = "{row}{col}_{channel}.tif", .skip_missing = true};
  expect_message(error_of([&] {
                   arrange(request, {{.column = 0}, {.column = 1, .channel = 1}});
                 }),
                 {"more tile", "channel 0"});
  expect_message(error_of([&] {
                   arrange({.pattern = "{row}{col}_{z}_{channel}.tif", .skip_missing = true},
                           {{}, {.z = 1, .channel = 1}});
                 }),
                 {"all slices", "add files"});
}

TEST(StitchNames, FilesAreCountedBeforeTheyAreListed) {
  std::vector<TileNumbers> found;
  for (int z = 0; z < 6; ++z)
    for (const auto& [row, column] : {std::pair{0, 0}, {2999, 2999}})
      found.push_back({.row = row, .column = column, .z = z});
  expect_message(error_of([&] { arrange({.pattern = "{row}_{col}_{z}.tif", .skip_missing = true}, found); }),
                 {"'input.tiles'", "too many", "check the numbers"});
}

TEST(StitchNames, CellsOfNumbersThatGoThereAndBack) {
  const auto cells = [](Order order, Corner start) {
    std::string text;
    for (int index = 0; index < 6; ++index) {
      const Cell cell = cell_of(index, 2, 3, order, start);
      text += std::to_string(cell.row) + std::to_string(cell.column) + " ";
    }
    return text;
  };
  EXPECT_EQ(cells(Order::rows, {}), "00 01 02 10 11 12 ");
  EXPECT_EQ(cells(Order::columns, {}), "00 10 01 11 02 12 ");
  EXPECT_EQ(cells(Order::serpentine_rows, {}), "00 01 02 12 11 10 ");
  EXPECT_EQ(cells(Order::serpentine_columns, {}), "00 10 11 01 02 12 ");
  EXPECT_EQ(cells(Order::rows, {.is_right = true}), "02 01 00 12 11 10 ");
  EXPECT_EQ(cells(Order::serpentine_rows, {.is_lower = true}), "10 11 12 02 01 00 ");
}

std::vector<TileNumbers> numbers(int first_row, int rows, int first_column, int columns) {
  std::vector<TileNumbers> found;
  for (int row = first_row; row < first_row + rows; ++row)
    for (int column = first_column; column < first_column + columns; ++column)
      found.push_back({.row = row, .column = column});
  return found;
}

TEST(StitchNames, TheFirstNumberIsFound) {
  for (const int first : {0, 1, 7}) {
    const TileFiles tiles = arrange({.pattern = "t{row}_{col}.tif"}, numbers(first, 2, first, 3));
    EXPECT_EQ(tiles.grid.rows(), 2);
    EXPECT_EQ(tiles.grid.columns(), 3);
    EXPECT_EQ(tiles.names[5], (Cell{first + 1, first + 2}));
    EXPECT_EQ(tiles.path(5), "t" + std::to_string(first + 1) + "_" + std::to_string(first + 2) + ".tif");
  }
  const TileFiles turned =
      arrange({.pattern = "t{row}_{col}.tif", .start = {true, true}}, numbers(0, 2, 0, 3));
  EXPECT_EQ(turned.path(0), "t1_2.tif");
}

TEST(StitchNames, MissingTilesAreNamedOrSkipped) {
  auto found = numbers(1, 2, 1, 3);
  found.erase(found.begin() + 4);
  expect_message(error_of([&] { arrange({.pattern = "t{row}_{col}.tif"}, found); }),
                 {"column 2", "give missing=skip"});
  const TileFiles tiles = arrange({.pattern = "t{row}_{col}.tif", .skip_missing = true}, found);
  for (int tile = 0; tile < 6; ++tile) EXPECT_EQ(tiles.grid.has(tile), tile != 4);
  expect_message(error_of([&] { arrange({.pattern = "t{row}_{col}.tif", .rows = 3}, numbers(1, 2, 1, 3)); }),
                 {"more tiles", "give missing=skip"});
  EXPECT_EQ(arrange({.pattern = "t{row}_{col}.tif", .rows = 3, .skip_missing = true}, numbers(2, 2, 1, 3))
                .names[0]
                .row,
            1);
  expect_message(
      error_of([&] { arrange({.pattern = "t{row}_{col}.tif", .columns = 2}, numbers(1, 2, 1, 3)); }),
      {"'input.columns'", "files go", "correct"});
}

TEST(StitchNames, IndicesNeedASide) {
  std::vector<TileNumbers> found;
  for (int index = 1; index <= 6; ++index) found.push_back({.index = index});
  expect_message(error_of([&] { arrange({.pattern = "t{index}.tif"}, found); }),
                 {"'input.tiles'", "{index} do", "give input.rows"});
  const TileFiles tiles =
      arrange({.pattern = "t{index}.tif", .columns = 3, .order = Order::serpentine_rows}, found);
  EXPECT_EQ(tiles.grid.rows(), 2);
  EXPECT_EQ(tiles.path(3), "t6.tif");
  expect_message(error_of([&] { arrange({.pattern = "t{index}.tif", .rows = 1, .columns = 3}, found); }),
                 {"'input.rows'", "tiles are fewer", "names of files"});
}

}  // namespace
}  // namespace stitch
