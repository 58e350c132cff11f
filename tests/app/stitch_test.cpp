// SPDX-License-Identifier: BSD-3-Clause
// tessera-stitch as users start it, on plates that were cut where the tests know.
#include <gtest/gtest.h>

#include <cstdlib>

#include "stitch_runs.hpp"

namespace tessera::app_test {
namespace {

/// Plates without blank tiles: every position is exact.
class ExactStitchTest : public testing::TestWithParam<Cut> {};

TEST_P(ExactStitchTest, EveryPositionIsExact) {
  const Folder folder;
  CutPlate plate(GetParam());
  plate.write_all(folder);
  for (const auto& [ranks, solver] : {std::pair{2, "solver=tree"}, {1, "solver=least_squares"}}) {
    expect_done(stitch(folder, ranks, {"output.positions=p.csv", "threads=2", solver}));
    EXPECT_EQ(folder.read("p.csv"), plate.positions()) << solver;
  }
}

std::vector<Cut> exact_cuts() {
  return {{.rows = 2, .columns = 2},
          {.rows = 2,
           .columns = 2,
           .width = 131,
           .height = 97,
           .jitter = 5,
           .seed = 2,
           .noise = 0.02,
           .shade = 0.3},
          {.rows = 1, .columns = 7, .seed = 3, .noise = 0.01, .shade = 0.2},
          {.rows = 7, .columns = 1, .seed = 4, .noise = 0.01, .first = 1},
          {.rows = 1, .columns = 1, .seed = 5},
          {.rows = 8, .columns = 8, .seed = 6, .noise = 0.01, .shade = 0.3},
          {.rows = 13,
           .columns = 7,
           .width = 131,
           .height = 113,
           .bits = 8,
           .seed = 7,
           .noise = 0.01,
           .shade = 0.2}};
}

INSTANTIATE_TEST_SUITE_P(Cuts, ExactStitchTest, testing::ValuesIn(exact_cuts()), [](const auto& info) {
  return "cut_" + std::to_string(info.index) + "_" + std::to_string(info.param.rows) + "x" +
         std::to_string(info.param.columns);
});

TEST(StitchTest, SameBitsOnAnyRanksWorkersPoolsAndTraversals) {
  const Folder folder;
  CutPlate plate({.rows = 5, .columns = 6, .seed = 8, .noise = 0.02, .shade = 0.3, .blank = {{2, 3}}});
  plate.write_all(folder);
  const auto all = [&](int ranks, Words words) {
    words.insert(words.end(),
                 {"output.positions=p.csv", "output.pairs=a.csv", "output.json=r.json",
                  "output.translations=t.csv", "output.raw=plate", "output.ome_tiff=o.tif", "blend=linear"});
    expect_done(stitch(folder, ranks, words));
    return folder.read("p.csv") + folder.read("a.csv") + folder.read("r.json") + folder.read("t.csv") +
           folder.read("plate") + folder.read("o.tif");
  };
  const std::string expected = all(1, {"threads=1"});
  const std::vector<Words> ways{
      {"threads=2", "traversal=diagonals", "graph.transforms.count=20"},
      {"threads=3", "traversal=chained_diagonals", "graph.align.workers=1"},
      {"threads=1", "traversal=columns"},
      {"threads=2", "traversal=chained_columns", "graph.window=1", "graph.bands.count=1"},
      {"threads=2", "traversal=chained_rows", "graph.search.workers=1"},
      {"threads=2", "traversal=rows", "graph.compose.workers=1"}};
  for (std::size_t way = 0; way < ways.size(); ++way)
    EXPECT_TRUE(all(way == 5 ? 7 : static_cast<int>(way % 4) + 1, ways[way]) == expected) << "way " << way;
}

TEST(StitchTest, SameBitsWhereRanksSendTransforms) {
  for (const auto& [rows, columns] : {std::pair{5, 4}, {3, 6}, {4, 1}}) {
    const Folder folder;
    CutPlate plate({.rows = rows, .columns = columns, .width = 61, .height = 50, .overlap = 0.3, .seed = 24});
    plate.write_all(folder);
    std::filesystem::remove(folder / plate.name(1, columns / 2));
    const auto pairs = [&](int ranks, Words words) {
      words.insert(words.end(), {"output.pairs=a.csv", "missing=skip", "input.overlap=0.3"});
      expect_done(stitch(folder, ranks, words));
      return folder.read("a.csv");
    };
    const std::string expected = pairs(1, {"threads=1"});
    Words traversals{"auto"};
    if (rows == 5)
      traversals = {"rows", "columns", "diagonals", "chained_rows", "chained_columns", "chained_diagonals"};
    for (const int ranks : {2, 3, 4})
      for (const std::string& traversal : traversals)
        EXPECT_TRUE(pairs(ranks, {"graph.halo=send", "traversal=" + traversal,
                                  ranks == 3 ? "threads=2" : "threads=1"}) == expected)
            << rows << " x " << columns << ", " << ranks << " ranks, " << traversal;
  }
}

TEST(StitchTest, BlankTilesArePlacedByTheModel) {
  for (const double noise : {0.0, 0.01}) {
    const Folder folder;
    CutPlate plate({.rows = 4, .columns = 5, .seed = 9, .noise = noise, .blank = {{1, 2}, {3, 4}}});
    plate.write_all(folder);
    const ParallelEnding ending = stitch(
        folder, 2, {"output.positions=p.csv", "output.pairs=a.csv", "output.json=r.json", "threads=1"});
    expect_done(ending);
    EXPECT_EQ(lines_with(ending.output, "placed by the model"),
              (Words{"t_r01_c02.png: it shows nothing that its neighbours show: it is placed by the model",
                     "t_r03_c04.png: it shows nothing that its neighbours show: it is placed by the model"}));
    const auto found = positions_in(folder.read("p.csv")), expected = positions_in(plate.positions());
    ASSERT_EQ(found.size(), 20U);
    for (const auto& [cell, position] : expected) {
      const bool is_blank = cell == std::pair{1, 2} || cell == std::pair{3, 4};
      const int tolerance = is_blank ? 7 : 0;  // its own jitter and the mean of those of its neighbours
      EXPECT_LE(std::abs(found.at(cell).first - position.first), tolerance);
      EXPECT_LE(std::abs(found.at(cell).second - position.second), tolerance);
      if (!is_blank) continue;
      const auto [x, y] = place_by_model(found, cell, folder.read("r.json"));
      EXPECT_LE(std::abs(found.at(cell).first - x), 1);
      EXPECT_LE(std::abs(found.at(cell).second - y), 1);
    }
    EXPECT_EQ(folder.read("a.csv").find("nan"), std::string::npos);
  }
}

TEST(StitchTest, TilesWithATextureOnOneSideAreExact) {
  for (const double share : {1.0, 0.3})
    for (const double noise : {0.0, 0.01})
      for (const unsigned seed : {31U, 32U, 33U}) {
        const Folder folder;
        CutPlate plate({.rows = 4,
                        .columns = 5,
                        .seed = seed,
                        .noise = noise,
                        .shade = 10 * noise,
                        .textured_side = {{{0, 1}, 0}, {{1, 3}, 1}, {{2, 1}, 2}, {{3, 3}, 0}, {{0, 4}, 3}},
                        .textured_share = share});
        plate.write_all(folder);
        const ParallelEnding ending = stitch(folder, 2, {"output.positions=p.csv", "threads=1"});
        expect_done(ending);
        EXPECT_EQ(lines_with(ending.output, "placed by the model"), Words{});
        EXPECT_EQ(folder.read("p.csv"), plate.positions())
            << "share " << share << ", seed " << seed << ", noise " << noise;
      }
}

TEST(StitchTest, ThePlateIsComposedAgain) {
  for (const int bits : {8, 16}) {
    const Folder folder;
    CutPlate plate({.rows = 3, .columns = 4, .bits = bits, .seed = 10});
    plate.write_all(folder);
    const auto positions = positions_in(plate.positions());
    const auto corner = plate.corner(0, 0), place = positions.at({0, 0});
    for (const char* blend : {"blend=overlay", "blend=average", "blend=linear"})
      for (const int ranks : {1, 3}) {
        expect_done(stitch(folder, ranks, {"output.raw=plate", "threads=1", blend}));
        const std::string bytes = folder.read("plate");
        int width = 0, height = 0;
        for (const auto& [cell, position] : positions) {
          width = std::max(width, position.first + 120);
          height = std::max(height, position.second + 90);
        }
        ASSERT_EQ(bytes.size(), static_cast<std::size_t>(width * height * bits / 8));
        int wrong = 0;
        for (int y = 0; y < height; ++y)
          for (int x = 0; x < width; ++x) {
            const bool is_covered = std::ranges::any_of(positions, [&](const auto& one) {
              return x >= one.second.first && x < one.second.first + 120 && y >= one.second.second &&
                     y < one.second.second + 90;
            });
            const auto at = static_cast<std::size_t>(y * width + x) * static_cast<std::size_t>(bits / 8);
            int value = static_cast<unsigned char>(bytes[at]);
            if (bits == 16) value += 256 * static_cast<unsigned char>(bytes[at + 1]);
            wrong += value != (is_covered ? plate.pixel(x - place.first + corner.first,
                                                        y - place.second + corner.second)
                                          : 0);
          }
        EXPECT_EQ(wrong, 0) << blend;
      }
  }
}

TEST(StitchTest, OtherLayout) {
  const Folder folder;
  const Cut cut{.rows = 3,
                .columns = 4,
                .width = 233,
                .height = 311,
                .overlap = 0.4,
                .jitter = 6,
                .bits = 8,
                .seed = 11,
                .noise = 0.01,
                .shade = 0.2};
  CutPlate plate(cut);
  for (int row = 0; row < 3; ++row)  // from the lower left corner, there and back
    for (int column = 0; column < 4; ++column) {
      const int line = 2 - row, index = 4 * line + (line % 2 == 0 ? column : 3 - column);
      plate.write(row, column, folder / ("tile" + std::to_string(1001 + index) + ".png"));
    }
  const Words words{"input.tiles=tile{index:4}.png",
                    "input.columns=4",
                    "input.overlap=0.4",
                    "input.order=serpentine_rows",
                    "input.start=lower_left",
                    "output.positions=p.csv",
                    "threads=1"};
  expect_done(stitch(folder, 2, words));
  EXPECT_EQ(folder.read("p.csv"), plate.positions());
}

TEST(StitchTest, PrecisionsTilesOfPrimesAndManyPeaksAgree) {
  const Folder folder;
  CutPlate plate({.rows = 2, .columns = 3, .width = 127, .height = 103, .seed = 12, .noise = 0.01});
  plate.write_all(folder);
  for (const Words& words : {Words{"precision=double"}, {"precision=double", "peaks=1"}, {"peaks=7"}}) {
    Words all = words;
    all.insert(all.end(), {"output.positions=p.csv", "threads=1"});
    expect_done(stitch(folder, 1, all));
    EXPECT_EQ(folder.read("p.csv"), plate.positions());
  }
}

TEST(StitchTest, GoesOnFromTranslations) {
  const Folder folder;
  CutPlate plate({.rows = 3, .columns = 3, .seed = 14, .noise = 0.02, .blank = {{0, 1}}});
  plate.write_all(folder);
  expect_done(
      stitch(folder, 2, {"output.positions=p.csv", "output.pairs=a.csv", "output.translations=t.csv"}));
  const ParallelEnding ending =
      stitch(folder, 1, {"output.positions=q.csv", "output.pairs=b.csv", "input.translations=t.csv"});
  expect_done(ending);
  EXPECT_TRUE(lines_with(ending.output, "compared").empty());
  EXPECT_EQ(folder.read("p.csv"), folder.read("q.csv"));
  EXPECT_EQ(folder.read("a.csv"), folder.read("b.csv"));
}

TEST(StitchTest, OtherTilesArePutWhereTheseLie) {
  const Folder folder;
  CutPlate plate({.rows = 3, .columns = 2, .seed = 21});
  plate.write_all(folder);
  expect_done(stitch(folder, 2, {"output.positions=p.csv", "output.raw=a"}));
  for (const int ranks : {1, 2}) {
    expect_done(stitch(folder, ranks, {"input.placed=p.csv", "output.raw=b", "threads=1"}));
    EXPECT_TRUE(folder.read("a") == folder.read("b"));
  }
  const ParallelEnding refused =
      stitch(folder, 2, {"input.placed=p.csv", "output.raw=b", "output.pairs=q.csv"});
  expect_refusal(refused, {"'output.pairs':", "'input.placed' is given", "nothing is compared"});
}

TEST(StitchTest, AFlatFieldEvensTheLight) {
  const Folder folder;
  const Cut cut{.rows = 2, .columns = 3, .jitter = 2, .seed = 15, .shade = 0.6};
  CutPlate plate(cut);
  plate.write_all(folder);
  io_test::write_plain_png(folder / "flat.png",
                           io_test::make_png(120, 90, PNG_COLOR_TYPE_GRAY, 16, [&](auto x, auto y, int) {
                             const double u = 2.0 * double(x) / 120 - 1, v = 2.0 * double(y) / 90 - 1;
                             return static_cast<int>(65535 * (1 - 0.6 * (u * u + v * v) / 2) + 0.5);
                           }));
  expect_done(stitch(
      folder, 2, {"output.positions=p.csv", "output.raw=plate", "flat_field.file=flat.png", "threads=1"}));
  EXPECT_EQ(folder.read("p.csv"), plate.positions());
  // The plate is now the true one, times one factor.
  const auto positions = positions_in(plate.positions());
  const auto corner = plate.corner(0, 0), place = positions.at({0, 0});
  int width = 0;
  for (const auto& [cell, position] : positions) width = std::max(width, position.first + 120);
  const std::string bytes = folder.read("plate");
  double least = 9, greatest = 0;
  for (int y = place.second; y < place.second + 90; ++y)
    for (int x = place.first; x < place.first + 120; ++x) {
      const auto at = static_cast<std::size_t>(y * width + x) * 2;
      const int value =
          static_cast<unsigned char>(bytes[at]) + 256 * static_cast<unsigned char>(bytes[at + 1]);
      const int truth = plate.pixel(x - place.first + corner.first, y - place.second + corner.second);
      if (truth < 10000) continue;
      least = std::min(least, double(value) / truth);
      greatest = std::max(greatest, double(value) / truth);
    }
  EXPECT_GT(least, 0);
  EXPECT_LT(greatest / least, 1.001);
}

TEST(StitchTest, OneChannelIsComparedAndAllAreComposed) {
  const Folder folder;
  CutPlate plate({.rows = 2, .columns = 3, .bits = 8, .seed = 19});
  for (int row = 0; row < 2; ++row)
    for (int column = 0; column < 3; ++column) {
      const auto corner = plate.corner(row, column);
      io_test::write_plain_png(folder / plate.name(row, column),
                               io_test::make_png(120, 90, PNG_COLOR_TYPE_RGB, 8, [&](auto x, auto y, int c) {
                                 const int value = plate.pixel(corner.first + static_cast<int>(x),
                                                               corner.second + static_cast<int>(y));
                                 return c == 0 ? 77 : c == 1 ? value : 255 - value;
                               }));
    }
  const auto composed = [&](int ranks, const std::string& channel) {
    expect_done(
        stitch(folder, ranks,
               {"output.positions=p.csv", "output.raw=plate", "threads=1", "input.channel=" + channel}));
    EXPECT_EQ(folder.read("p.csv"), plate.positions());
    return folder.read("plate");
  };
  const std::string planes = composed(1, "1");
  EXPECT_EQ(composed(2, "2"), planes);
  // Two bands have rows of each tile.
  expect_done(stitch(folder, 1, {"output.raw=plate", "threads=1", "input.channel=1", "--report", "r.json"}));
  EXPECT_NE(folder.read("r.json").find("\"reads_of_tiles\": 6"), std::string::npos) << folder.read("r.json");
  for (const int ranks : {1, 2}) {
    expect_done(stitch(folder, ranks, {"output.raw=plate", "threads=1", "input.channel=1", "memory=1700K"}));
    EXPECT_TRUE(folder.read("plate") == planes);
  }
  const std::size_t size = planes.size() / 3;
  int wrong = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const auto value = [&](std::size_t plane) {
      return static_cast<int>(static_cast<unsigned char>(planes[plane * size + i]));
    };
    const bool is_covered = value(0) == 77;
    wrong += is_covered ? value(1) + value(2) != 255 : value(0) + value(1) + value(2) != 0;
  }
  EXPECT_EQ(wrong, 0);
}

TEST(StitchTest, KilledRunsLeaveNothingThatLooksComplete) {
  const Folder folder;
  CutPlate plate({.rows = 4, .columns = 4, .seed = 20, .noise = 0.02});
  plate.write_all(folder);
  const Words outputs{"output.positions=p.csv", "output.translations=t.csv", "output.tiff=p.tif",
                      "output.ome_tiff=o.tif"};
  expect_done(stitch(folder, 1, outputs));
  std::map<std::string, std::string> whole;
  for (const char* name : {"p.csv", "t.csv", "p.tif", "o.tif"}) {
    whole[name] = folder.read(name);
    std::filesystem::remove(folder / name);
  }
  // Whenever it is that they are killed, what is there is whole.
  for (const char* seconds : {"0.03", "0.06", "0.1", "0.15", "0.2"}) {
    Words words{"-s",
                "KILL",
                seconds,
                TESSERA_STITCH,
                "input.tiles=t_r{row:2}_c{col:2}.png",
                "input.overlap=0.2",
                "threads=1"};
    words.insert(words.end(), outputs.begin(), outputs.end());
    run_on_ranks("timeout", 1, folder, words);
    for (const auto& [name, bytes] : whole) {
      if (!folder.names().contains(name)) continue;
      EXPECT_TRUE(folder.read(name) == bytes) << name << " after " << seconds << " s";
      std::filesystem::remove(folder / name);
    }
  }
}

TEST(StitchTest, GraphsAreExplainedAndChecked) {
  const Folder folder;
  CutPlate plate({.rows = 3, .columns = 3, .seed = 17});
  plate.write_all(folder);
  const ParallelEnding check = stitch(folder, 1, {"output.positions=p.csv", "--check", "threads=2"});
  EXPECT_EQ(check.status, 0) << check.text();
  EXPECT_NE(check.output.find("3 x 3 tiles of 120 x 90 x 1 uint16, 12 pairs\n4 transforms at a time"),
            std::string::npos)
      << check.output;
  // The second rank has a row more than the first one: that of the other, for the pairs between them.
  const ParallelEnding two = stitch(folder, 2, {"output.positions=p.csv", "--check", "threads=1"});
  EXPECT_NE(two.output.find("12 pairs\n4 transforms at a time on a rank, 4 in the pool"), std::string::npos)
      << two.output;
  const ParallelEnding estimate =
      stitch(folder, 1, {"output.positions=p.csv", "--estimate", "--ranks", "64", "output.tiff=p.tif"});
  EXPECT_EQ(estimate.status, 0) << estimate.text();
  for (const char* line : {"  64\n", "translations", "composition", "searches count nothing"})
    EXPECT_NE(estimate.output.find(line), std::string::npos) << line << estimate.output;
  const ParallelEnding dot = stitch(folder, 1, {"output.positions=p.csv", "--explain", "--dot", "threads=2"});
  EXPECT_NE(dot.output.find("\"transform\" -> \"pair\""), std::string::npos) << dot.output;
  const ParallelEnding run = stitch(folder, 2,
                                    {"output.positions=p.csv", "--report", "r.json", "--trace", "t.json",
                                     "threads=1", "output.picture=g.png"});
  EXPECT_EQ(run.status, 0) << run.text();
  EXPECT_NE(folder.read("r.json").find("\"most_live_transforms\": 4"), std::string::npos)
      << folder.read("r.json");
  EXPECT_NE(folder.read("t.json").find("\"align\""), std::string::npos);
  EXPECT_TRUE(folder.names().contains("g.png"));
}

}  // namespace
}  // namespace tessera::app_test
