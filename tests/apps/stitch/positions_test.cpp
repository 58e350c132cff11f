// SPDX-License-Identifier: BSD-3-Clause
// The model of the stage, positions, tables and blending.
#include "apps/stitch/positions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "apps/stitch/composition.hpp"
#include "apps/stitch/outputs.hpp"
#include "apps/stitch/tables.hpp"
#include "messages.hpp"
#include "support.hpp"

namespace stitch {
namespace {

using tessera::test::expect_message;

constexpr Extent extent{100, 80};

/// A grid whose tiles lie at random around a regular grid.
struct Plate {
  Grid grid;
  std::vector<Position> truth;
  std::vector<Pair> pairs;
  std::vector<Translation> translations;

  Plate(int rows, int columns, unsigned seed, const std::vector<int>& missing = {}) : grid(rows, columns) {
    std::mt19937 random(seed);
    const auto jitter = [&] { return static_cast<int>(random() % 7) - 3; };
    for (const int tile : missing) grid.remove(tile);
    for (int tile = 0; tile < grid.size(); ++tile) {
      const Cell cell = grid.cell(tile);
      truth.push_back({cell.column * 80 + jitter() + 10, cell.row * 60 + jitter() + 10});
    }
    pairs = grid.pairs();
    for (const Pair& pair : pairs)
      translations.push_back({shift_of(pair), 0.5 + double(random() % 1000) / 2001, 100, 0.1});
  }
  Shift shift_of(const Pair& pair) const {
    const Position a = truth[static_cast<std::size_t>(pair.first)],
                   b = truth[static_cast<std::size_t>(pair.second)];
    return {static_cast<int>(b.x - a.x), static_cast<int>(b.y - a.y)};
  }
  std::vector<Placement> placements() const {
    std::vector<Placement> all;
    for (const Translation& one : translations) all.push_back({one, Origin::measured, pairs[all.size()]});
    return all;
  }
  /// The positions from the least ones on.
  std::vector<Position> expected() const {
    Position least{1000000, 1000000};
    for (int tile = 0; tile < grid.size(); ++tile)
      if (grid.has(tile))
        least = {std::min(least.x, truth[static_cast<std::size_t>(tile)].x),
                 std::min(least.y, truth[static_cast<std::size_t>(tile)].y)};
    std::vector<Position> moved;
    for (const Position& one : truth) moved.push_back({one.x - least.x, one.y - least.y});
    return moved;
  }
};

void expect_positions(const Plate& plate, const std::vector<Placement>& placements, Solver solver) {
  const StageModel model = model_of(plate.placements(), extent, 0.2, 0.5);
  const auto found = positions_of(plate.grid, placements, model, solver), expected = plate.expected();
  for (int tile = 0; tile < plate.grid.size(); ++tile)
    if (plate.grid.has(tile)) {
      EXPECT_EQ(found[static_cast<std::size_t>(tile)], expected[static_cast<std::size_t>(tile)]) << tile;
    }
}

TEST(StitchPositions, FollowFromTranslationsThatFit) {
  for (const auto& [rows, columns] : {std::pair{1, 1}, {1, 7}, {7, 1}, {2, 2}, {5, 6}, {9, 4}})
    for (const Solver solver : {Solver::tree, Solver::least_squares}) {
      const Plate plate(rows, columns, 11);
      expect_positions(plate, plate.placements(), solver);
    }
  const Plate holes(5, 6, 12, {7, 13, 22});
  for (const Solver solver : {Solver::tree, Solver::least_squares})
    expect_positions(holes, holes.placements(), solver);
}

TEST(StitchPositions, TheTreeTakesTheBestPairs) {
  // Of four pairs around a square the worst one is left out, whatever it says.
  for (std::size_t worst = 0; worst < 4; ++worst) {
    Plate plate(2, 2, 13);
    for (Translation& one : plate.translations) one.correlation = 0.9;
    auto placements = plate.placements();
    placements[worst].translation.shift.x += 5;
    placements[worst].translation.correlation = 0.89;
    expect_positions(plate, placements, Solver::tree);
    placements[worst].translation.correlation = 0.99;
    placements[worst].origin = Origin::model;
    expect_positions(plate, placements, Solver::tree);
  }
}

TEST(StitchPositions, LeastSquaresShareADeviation) {
  Plate plate(2, 2, 14);
  for (Translation& one : plate.translations) one.correlation = 0.8;
  auto placements = plate.placements();
  placements[0].translation.shift.x += 40;  // each of the four pairs takes a quarter
  const auto found = positions_of(plate.grid, placements, {}, Solver::least_squares);
  const auto expected = plate.expected();
  const auto x = [](const std::vector<Position>& all, int tile) {
    return all[static_cast<std::size_t>(tile)].x;
  };
  EXPECT_EQ(x(found, 1) - x(found, 0), x(expected, 1) - x(expected, 0) + 30);
  EXPECT_EQ(x(found, 3) - x(found, 2), x(expected, 3) - x(expected, 2) + 10);
}

TEST(StitchPositions, PartsWithoutPairsLieAsTheModelSays) {
  const Plate plate(1, 5, 15, {2});
  const StageModel model{.right = {{80, 1}, 2, 4}, .below = {{0, 60}, 2, 0}};
  const auto found = positions_of(plate.grid, plate.placements(), model, Solver::tree);
  EXPECT_EQ(found[3].x - found[0].x, 240);
  EXPECT_EQ(found[3].y - found[0].y, 3);
}

/// Makes all pairs of some tiles those of the model.
std::vector<Placement> placements_without(const Plate& plate, const StageModel& model,
                                          const std::vector<int>& blank) {
  std::vector<Placement> placements = plate.placements();
  for (std::size_t i = 0; i < plate.pairs.size(); ++i)
    for (const int tile : blank)
      if (plate.pairs[i].first == tile || plate.pairs[i].second == tile)
        placements[i] = {{.shift = model.of(plate.pairs[i].direction).step}, Origin::model, plate.pairs[i]};
  return placements;
}

TEST(StitchPositions, ABlankTileLiesAtTheMeanOfWhereItsNeighboursPutIt) {
  const StageModel model{{{80, 1}, 3, 9}, {{-2, 60}, 3, 9}};
  for (unsigned seed = 1; seed < 9; ++seed) {
    const Plate plate(5, 6, seed);
    for (const int blank : {0, 5, 9, 14, 24, 29}) {
      const auto found =
          positions_of(plate.grid, placements_without(plate, model, {blank}), model, Solver::tree);
      // Tiles on both sides of 0 may have the least coordinates.
      const int other = blank == 14 ? 15 : 14;
      const std::int64_t moved_x = found[at(other)].x - plate.truth[at(other)].x,
                         moved_y = found[at(other)].y - plate.truth[at(other)].y;
      double x = 0, y = 0, count = 0;
      for (const Pair& pair : plate.pairs) {
        if (pair.first != blank && pair.second != blank) continue;
        const Shift step = model.of(pair.direction).step;
        const int sign = pair.first == blank ? -1 : 1;
        const Position& neighbour = plate.truth[at(sign < 0 ? pair.second : pair.first)];
        x += static_cast<double>(neighbour.x + sign * step.x);
        y += static_cast<double>(neighbour.y + sign * step.y);
        ++count;
      }
      EXPECT_NEAR(static_cast<double>(found[at(blank)].x - moved_x), x / count, 0.5 + 1e-9);
      EXPECT_NEAR(static_cast<double>(found[at(blank)].y - moved_y), y / count, 0.5 + 1e-9);
      for (int tile = 0; tile < plate.grid.size(); ++tile) {
        if (tile == blank) continue;
        EXPECT_EQ(found[at(tile)].x - moved_x, plate.truth[at(tile)].x) << tile;
        EXPECT_EQ(found[at(tile)].y - moved_y, plate.truth[at(tile)].y) << tile;
      }
    }
  }
}

TEST(StitchPositions, BlankRegionsAreInBalance) {
  const StageModel model{{{80, 1}, 3, 9}, {{-2, 60}, 3, 9}};
  for (const std::vector<int>& blank :
       {std::vector{7, 8, 9, 13, 14}, {2, 8, 14, 20, 26}, {0, 1, 6, 7}, {12, 13, 14, 15, 16, 17}}) {
    const Plate plate(5, 6, 3);
    const auto placements = placements_without(plate, model, blank);
    const auto found = positions_of(plate.grid, placements, model, Solver::tree);
    // The neighbours of a tile ask for shifts whose mean is 0, up to the rounding of both.
    for (const int tile : blank) {
      double x = 0, y = 0, count = 0;
      for (std::size_t i = 0; i < plate.pairs.size(); ++i) {
        const Pair& pair = plate.pairs[i];
        if (pair.first != tile && pair.second != tile) continue;
        const int sign = pair.first == tile ? -1 : 1;
        const Position &a = found[at(pair.first)], &b = found[at(pair.second)];
        x += sign * static_cast<double>(placements[i].translation.shift.x - (b.x - a.x));
        y += sign * static_cast<double>(placements[i].translation.shift.y - (b.y - a.y));
        ++count;
      }
      EXPECT_LE(std::abs(x / count), 1 + 1e-6) << tile;
      EXPECT_LE(std::abs(y / count), 1 + 1e-6) << tile;
    }
  }
}

TEST(StitchModel, IsTheMedianOfReliableTranslations) {
  Plate plate(6, 6, 16);
  plate.translations[3].shift = {20, 40};  // an outlier that correlates well
  plate.translations[5] = {{1, 1}, 0.4, 100, 0};
  plate.translations[7] = {{1, 1}, 0.9, 2, 0};
  const StageModel model = model_of(plate.placements(), extent, 0.2, 0.5);
  EXPECT_NEAR(model.right.step.x, 80, 1);
  EXPECT_NEAR(model.right.step.y, 0, 1);
  EXPECT_NEAR(model.below.step.y, 60, 1);
  EXPECT_LE(model.right.repeatability, 7);
  EXPECT_EQ(model.right.measured + model.below.measured, 60 - 3);
  for (const std::size_t pair : {3U, 5U, 7U})
    EXPECT_FALSE(agrees(model, extent, plate.placements()[pair], true));
  EXPECT_TRUE(agrees(model, extent, plate.placements()[0], true));
  // The peaks are not clear, so that others must confirm them.
  EXPECT_FALSE(agrees(model, extent, plate.placements()[0], false));
}

TEST(StitchModel, IsWhatTheOverlapLetsExpectWithoutReliableTranslations) {
  const Plate plate(2, 2, 17);
  Placements unknown = plate.placements();
  for (Placement& one : unknown) one.translation = {};
  const StageModel model = model_of(unknown, extent, 0.2, 0.5);
  EXPECT_EQ(model.right.step, (Shift{80, 0}));
  EXPECT_EQ(model.below.step, (Shift{0, 64}));
  EXPECT_EQ(model.right.measured, 0);
  EXPECT_FALSE(is_founded(model, unknown));
  Placements searched;
  for (const Pair& pair : plate.pairs) searched.push_back({{{70, 0}, 0.1, 1, 0}, Origin::searched, pair});
  EXPECT_EQ(model_of(searched, extent, 0.2, 0.5).right.step, (Shift{70, 0}));
  EXPECT_TRUE(is_founded(model_of(searched, extent, 0.2, 0.5), searched));
}

TEST(StitchModel, PairsThatNothingTellsAboutGetItsStep) {
  const StageModel model{.right = {{80, 1}, 2, 4}, .below = {{0, 60}, 2, 4}};
  const Pair pair{0, 1, Direction::right};
  const Translation wrong{{20, 0}, 0.9, 50, 0}, none, found{{81, 2}, 0.4, 9, 0}, near{{84, 1}, 0.8, 60, 0};
  EXPECT_EQ(choose(model, pair, extent, 0.5, wrong, none).origin, Origin::model);
  EXPECT_EQ(choose(model, pair, extent, 0.5, wrong, none).translation.shift, (Shift{80, 1}));
  EXPECT_EQ(choose(model, pair, extent, 0.5, wrong, found).origin, Origin::searched);
  EXPECT_EQ(choose(model, pair, extent, 0.5, near, found).translation.shift, near.shift);
  EXPECT_EQ(choose(model, pair, extent, 0.5, near, none).origin, Origin::measured);
  const Translation climbed{{88, 1}, 0.4, 9, 0}, far{{70, 1}, 0.4, 9, 0};
  EXPECT_EQ(choose(model, pair, extent, 0.5, none, climbed).origin, Origin::searched);
  EXPECT_EQ(choose(model, pair, extent, 0.5, none, far).origin, Origin::model);
}

TEST(StitchModel, SearchesFindTheShiftOfNoisyTiles) {
  std::mt19937 random(18);
  std::vector<int> plate(200 * 200);
  std::vector<int> coarse(50 * 50);
  for (int& value : coarse) value = static_cast<int>(random() % 200);
  const auto at = [&](std::size_t x, std::size_t y) { return coarse[y * 50 + x]; };
  for (std::size_t y = 0; y < 200; ++y)
    for (std::size_t x = 0; x < 200; ++x) {
      const int right = static_cast<int>(x % 5), down = static_cast<int>(y % 5);
      plate[y * 200 + x] = ((at(x / 5, y / 5) * (5 - right) + at(x / 5 + 1, y / 5) * right) * (5 - down) +
                            (at(x / 5, y / 5 + 1) * (5 - right) + at(x / 5 + 1, y / 5 + 1) * right) * down) /
                           25;
    }
  const auto cut = [&](Shift at) {
    std::vector<std::uint16_t> pixels;
    for (int y = 0; y < extent.height; ++y)
      for (int x = 0; x < extent.width; ++x)
        pixels.push_back(
            static_cast<std::uint16_t>(100 + plate[static_cast<std::size_t>((y + at.y) * 200 + x + at.x)] +
                                       static_cast<int>(random() % 40)));
    return pixels;
  };
  for (const int repeatability : {2, 4, 17}) {  // all shifts, or the most promising ones
    const StageStep step{{60, 0}, repeatability, 9};
    const Shift truth{60 + repeatability, -repeatability + 1};
    const auto first = cut({0, 30}), second = cut({truth.x, truth.y + 30});
    const Translation found = Searcher(extent)(step, {extent, first}, {extent, second});
    EXPECT_EQ(found.shift, truth);
    EXPECT_GT(found.correlation, 0.5);
    std::vector<std::uint16_t> noise(extent.pixels());
    for (auto& value : noise) value = static_cast<std::uint16_t>(random() % 300);
    EXPECT_EQ(Searcher(extent)(step, {extent, first}, {extent, noise}).correlation, no_correlation);
    const std::vector<std::uint16_t> blank(extent.pixels(), 77);
    EXPECT_EQ(Searcher(extent)(step, {extent, first}, {extent, blank}).correlation, no_correlation);
  }
}

TileFiles files_of(const Plate& plate) {
  TileFiles tiles{plate.grid};
  for (int tile = 0; tile < plate.grid.size(); ++tile) {
    const Cell cell = plate.grid.cell(tile);
    tiles.paths.push_back("t" + std::to_string(tile));
    tiles.names.push_back({cell.row + 1, cell.column + 1});
  }
  return tiles;
}

TEST(StitchTables, TranslationsAreReadAsTheyWereWritten) {
  Plate plate(3, 4, 19, {6});
  plate.translations[2] = {};
  const TileFiles tiles = files_of(plate);
  const std::string text = translations_csv(tiles, plate.pairs, plate.translations);
  const auto read = read_translations("t.csv", text, tiles, plate.pairs, extent);
  ASSERT_EQ(read.size(), plate.translations.size());
  for (std::size_t i = 0; i < read.size(); ++i) {
    EXPECT_EQ(read[i].shift, plate.translations[i].shift);
    EXPECT_EQ(read[i].correlation, plate.translations[i].correlation);
    EXPECT_EQ(read[i].evidence, plate.translations[i].evidence);
    EXPECT_EQ(read[i].peak, plate.translations[i].peak);
  }
  const auto error = [&](const std::string& faulty) {
    return error_of([&] { read_translations("t.csv", faulty, tiles, plate.pairs, extent); });
  };
  expect_message(error("row,col\n"), {"t.csv:1:", "file anew", "output.translations"});
  expect_message(error(text + "1,1,left,3\n"),
                 {"no translation", "file anew", std::to_string(read.size() + 2)});
  expect_message(error(text + "1,2,left,80,0,0.5,9,0.1\n"),
                 {"such pair", "listed twice", std::to_string(read.size() + 2)});
  expect_message(error(text.substr(0, text.rfind("3,4,above"))), {"lacks 1", "file anew"});
}

TEST(StitchTables, PositionsAreReadAsTheyWereWritten) {
  const Plate plate(2, 2, 23, {1});
  const TileFiles tiles = files_of(plate);
  const std::vector<Position> positions{{0, 5}, {0, 0}, {3, 60}, {81, 62}};
  const std::string text = positions_csv(tiles, positions);
  EXPECT_EQ(read_positions("p.csv", text, tiles, false), positions);
  const auto error = [&](const std::string& faulty) {
    return error_of([&] { read_positions("p.csv", faulty, tiles, false); });
  };
  expect_message(error("file,x,y\n"), {"p.csv:1:", "not row,col,x,y", "file anew"});
  expect_message(error(text + "1,1,0,0\n"), {"p.csv:5:", "listed twice", "file anew"});
  for (const char* line : {"1,1,0", "1,1,-1,0", "1,1,0,4000000000", "1,1,x,0", "\n1,1,0,0"})
    expect_message(error("row,col,x,y\n" + std::string(line) + "\n"),
                   {"p.csv:2:", "no position", "file anew"});
  expect_message(error("row,col,x,y\n2,1,0,0\n"), {"lacks 2", "file anew"});
}

TEST(StitchTables, ThePictureShowsTilesAndPairs) {
  const Plate plate(2, 2, 21, {3});  // pairs: 0 with 1 on its right, 0 with 2 below
  Results results{.placements = plate.placements(), .by_model = {2}};
  results.placements[0] = {{{80, 0}, 1, 100, 0}, Origin::searched, plate.pairs[0]};
  results.placements[1].origin = Origin::model;
  const auto picture = picture_of(plate.grid, results);
  ASSERT_EQ(picture.size(), 42U * 42 * 3);
  const auto at = [&](std::size_t x, std::size_t y) {
    return std::array<int, 3>{picture[y * 42 + x], picture[(42 + y) * 42 + x], picture[(84 + y) * 42 + x]};
  };
  using Colour = std::array<int, 3>;
  EXPECT_EQ(at(0, 0), (Colour{0, 0, 0}));
  EXPECT_EQ(at(6, 6), (Colour{160, 160, 160}));
  EXPECT_EQ(at(17, 35), (Colour{64, 96, 255}));
  EXPECT_EQ(at(35, 35), (Colour{0, 0, 0}));
  EXPECT_EQ(at(20, 12), (Colour{255, 255, 0}));
  EXPECT_EQ(at(12, 20), (Colour{255, 0, 0}));
  results.placements[0] = {{{80, 0}, 0, 100, 0}, Origin::measured, plate.pairs[0]};
  EXPECT_EQ(picture_of(plate.grid, results)[(42 + 12) * 42 + 20], 64);
}

TEST(StitchTables, PositionsHaveTheNumbersOfTheFiles) {
  const Plate plate(1, 3, 20, {1});
  EXPECT_EQ(positions_csv(files_of(plate), {{0, 5}, {0, 0}, {160, 0}}), "row,col,x,y\n1,1,0,5\n1,3,160,0\n");
}

TEST(StitchBlend, RowsAreBlendedAsTheyAreDefined) {
  const std::vector<std::uint16_t> a{10, 20, 30, 40}, b{100, 200, 300, 401};
  const auto blended = [&](Blend blend) {
    RowBlender row(blend, {4, 5}, 9);
    row.add(1, 0, a);
    row.add(3, 2, b);
    std::vector<std::uint16_t> values(9);
    row.store(values.data());
    return values;
  };
  using Values = std::vector<std::uint16_t>;
  EXPECT_EQ(blended(Blend::overlay), (Values{0, 10, 20, 100, 200, 300, 401, 0, 0}));
  EXPECT_EQ(blended(Blend::average), (Values{0, 10, 20, 65, 120, 300, 401, 0, 0}));
  // Weights 2 and 3 at the third pixel, 1 and 6 at the fourth.
  EXPECT_EQ(blended(Blend::linear),
            (Values{0, 10, 20, (2 * 30 + 3 * 100) / 5, (40 + 6 * 200 + 3) / 7, 300, 401, 0, 0}));
}

}  // namespace
}  // namespace stitch
