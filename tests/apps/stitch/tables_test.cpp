// SPDX-License-Identifier: BSD-3-Clause
// Tables: of tiles and their nominal positions, and those that a run writes and a later one reads.
#include "apps/stitch/tables.hpp"

#include <gtest/gtest.h>

#include <random>

#include "messages.hpp"
#include "support.hpp"

namespace stitch {
namespace {

using tessera::test::expect_message;

TEST(StitchTables, TablesTellTheGrid) {
  const auto tiles = read_tile_table("a/t.csv", "file,x,y\nq 1.tif,-3.5,0\n/b/2.tif,76,3e0\n3,a.tif,0,71\n");
  ASSERT_EQ(tiles.size(), 3U);
  EXPECT_EQ(tiles[0].path, "a/q 1.tif");
  EXPECT_EQ(tiles[0].x, -3.5);
  EXPECT_EQ(tiles[1].path, "/b/2.tif");
  EXPECT_EQ(tiles[2].path, "a/3,a.tif");
  const Extent extent{100, 90};
  expect_message(error_of([&] { arrange_table("a/t.csv", tiles, extent, false); }),
                 {"no tile", "give missing=skip"});
  const TileFiles files = arrange_table("a/t.csv", tiles, extent, true);
  EXPECT_EQ(files.grid.rows(), 2);
  EXPECT_EQ(files.grid.columns(), 2);
  EXPECT_EQ(files.paths, (std::vector<std::string>{"a/q 1.tif", "/b/2.tif", "a/3,a.tif", ""}));
  EXPECT_NEAR(files.overlap, 1 - 79.5 / 100, 1e-12);
  auto twice = tiles;
  twice[2].y = 5;
  expect_message(error_of([&] { arrange_table("t.csv", twice, extent, true); }),
                 {"a/q 1.tif", "a/3,a.tif have"});
}

TEST(StitchTables, FaultyTablesAreRefused) {
  const auto error = [](const std::string& text) {
    return error_of([&] { read_tile_table("t.csv", text); });
  };
  expect_message(error("row,col\n"), {"t.csv:1:", "not file,x,y", "correct"});
  expect_message(error("file,x,y\n"), {"t.csv:2:", "no tiles", "correct"});
  for (const char* line :
       {"a.tif", "a.tif,1", ",1,2", "a.tif,1,x", "a.tif,nan,2", "a.tif,1e99,2", "\nc.tif,0,9"})
    expect_message(error(std::string("file,x,y\nb.tif,0,0\n") + line + "\n"),
                   {"t.csv:3:", "a file", "two numbers"});
}

TEST(StitchTables, LinesMayEndLikeThoseOfWindows) {
  const auto tiles = read_tile_table("t.csv", "file,x,y\r\na.tif,1,2\r\nb.tif,3,4\r\n\r\n\n");
  ASSERT_EQ(tiles.size(), 2U);
  EXPECT_EQ(tiles[1].path, "b.tif");
  EXPECT_EQ(tiles[1].y, 4);
}

/// Tiles of a grid with steps of these pixels, moved by up to `jitter` pixels, without some rows.
std::vector<NominalTile> nominal(int rows, int columns, double right, double down, int jitter,
                                 const std::vector<int>& absent, std::mt19937& random) {
  std::vector<NominalTile> tiles;
  const auto moved = [&] { return jitter == 0 ? 0 : static_cast<int>(random() % (2 * jitter + 1)) - jitter; };
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column)
      if (std::ranges::find(absent, row) == absent.end())
        tiles.push_back({std::to_string(row) + "_" + std::to_string(column), column * right + moved(),
                         row * down + moved()});
  std::ranges::shuffle(tiles, random);
  return tiles;
}

void expect_places(const TileFiles& files, int rows, int columns, const std::vector<int>& absent) {
  ASSERT_EQ(files.grid.rows(), rows);
  ASSERT_EQ(files.grid.columns(), columns);
  for (int tile = 0; tile < files.grid.size(); ++tile) {
    const auto [row, column] = files.grid.cell(tile);
    const bool is_absent = std::ranges::find(absent, row) != absent.end();
    EXPECT_EQ(files.grid.has(tile), !is_absent);
    EXPECT_EQ(files.paths[at(tile)], is_absent ? "" : std::to_string(row) + "_" + std::to_string(column));
  }
}

TEST(StitchTables, RowsWithoutTilesKeepTheirPlace) {
  std::mt19937 random(31);
  const Extent extent{120, 90};
  for (const auto& absent : std::vector<std::vector<int>>{{1}, {1, 2}, {2}, {1, 3}, {1, 3, 4}}) {
    const auto tiles = nominal(6, 4, 96, 72, 3, absent, random);
    const TileFiles files = arrange_table("t.csv", tiles, extent, true);
    expect_places(files, 6, 4, absent);
    EXPECT_NEAR(files.overlap, 0.2, 0.04);
    expect_message(error_of([&] { arrange_table("t.csv", tiles, extent, false); }),
                   {"no tile", "give missing=skip", std::to_string(absent.front())});
  }
  // The only gap between rows is wider than a tile: what columns show tells how many rows are missing.
  expect_places(arrange_table("t.csv", nominal(3, 4, 96, 72, 0, {1}, random), extent, true), 3, 4, {1});
}

TEST(StitchTables, StepsOfAnyShareOfATileAreRead) {
  std::mt19937 random(32);
  const Extent extent{400, 300};
  for (const double share : {0.06, 0.1, 0.12, 0.3, 0.6, 0.98})
    for (const int jitter : {0, 2})
      for (const auto& [rows, columns] : {std::pair{5, 7}, {1, 6}, {6, 1}, {1, 1}}) {
        SCOPED_TRACE(share);
        const auto tiles = nominal(rows, columns, share * 400, share * 300, jitter, {}, random);
        expect_places(arrange_table("t.csv", tiles, extent, false), rows, columns, {});
      }
}

TEST(StitchTables, TilesFarApartAreRefused) {
  expect_message(
      error_of([] {
        arrange_table("t.csv", {{"a", 0, 0}, {"b", 50, 0}, {"c", 0, 50}, {"d", 9e8, 9e8}}, {100, 100}, true);
      }),
      {"too many", "their positions"});
}

TileFiles four_tiles() {
  TileFiles files{Grid(2, 2), {"a", "b", "c", "d"}};
  for (int tile = 0; tile < 4; ++tile) files.names.push_back(files.grid.cell(tile));
  return files;
}

TEST(StitchTables, PositionsOfTilesThatAreSkippedAreIgnored) {
  const TileFiles whole = four_tiles();
  const std::vector<Position> positions{{0, 1}, {70, 0}, {2, 80}, {75, 79}};
  const std::string csv = positions_csv(whole, positions);
  EXPECT_EQ(read_positions("p.csv", csv, whole, false), positions);
  TileFiles fewer = whole;
  fewer.grid.remove(1);
  expect_message(error_of([&] { read_positions("p.csv", csv, fewer, false); }),
                 {"p.csv:3:", "listed twice", "file anew"});
  const auto read = read_positions("p.csv", csv, fewer, true);
  for (const int tile : {0, 2, 3}) EXPECT_EQ(read[at(tile)], positions[at(tile)]);
  expect_message(error_of([&] { read_positions("p.csv", csv + "1,1,3,3\n", fewer, true); }),
                 {"p.csv:6:", "listed twice", "file anew"});
  expect_message(error_of([&] { read_positions("p.csv", "row,col,x,y\r\n0,0,0,1\r\n\r\n", fewer, true); }),
                 {"lacks 2", "file anew"});
  for (const char* line : {"0,0,1", "0,0,-1,0", "x,0,1,1", "0,0,1,1,1", "0,0,1,1.5"})
    expect_message(
        error_of([&] { read_positions("p.csv", std::string("row,col,x,y\n") + line, whole, true); }),
        {"p.csv:2:", "no position", "file anew"});
}

TEST(StitchTables, TranslationsOfTilesThatHardlyTouchAreRead) {
  const TileFiles files = four_tiles();
  const auto pairs = files.grid.pairs();
  const std::vector<Translation> written{{{80, -3}, 0.5, 1.25, 0.125},
                                         {{2, 71}, no_correlation, 0, 0},
                                         {{-99, -89}, -0.75, -3, 1},
                                         {{99, 89}, 1, 9, 0}};
  const Extent extent{100, 90};
  const std::string csv = translations_csv(files, pairs, written);
  const auto read = read_translations("t.csv", csv, files, pairs, extent);
  ASSERT_EQ(read.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(read[i].shift, written[i].shift);
    EXPECT_EQ(read[i].correlation, written[i].correlation);
    EXPECT_EQ(read[i].evidence, written[i].evidence);
    EXPECT_EQ(read[i].peak, written[i].peak);
  }
}

TEST(StitchTables, TranslationsThatCannotBeAreRefused) {
  const TileFiles files = four_tiles();
  const auto error = [&](const std::string& line) {
    const std::string text = "row,col,neighbour,x,y,correlation,evidence,peak\n" + line + "\n";
    return error_of([&] { read_translations("t.csv", text, files, files.grid.pairs(), {100, 90}); });
  };
  for (const char* line : {"0,1,left,80,0,nan,9,0.1", "0,1,left,80,0,0.5,inf,0.1", "0,1,left,80,0,0.5,9,-nan",
                           "0,1,left,80,0,-inf,9,0.1", "0,1,left,8x,0,0.5,9,0.1", "0,1,left,80,0,0.5,9"})
    expect_message(error(line), {"t.csv:2:", "no translation", "file anew"});
  for (const char* shift : {"100,0", "-100,0", "0,90", "0,-90", "2000000000,5"})
    expect_message(error(std::string("0,1,left,") + shift + ",0.5,9,0.1"),
                   {"t.csv:2:", "at this distance", "show nothing"});
}

}  // namespace
}  // namespace stitch
