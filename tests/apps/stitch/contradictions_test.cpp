// SPDX-License-Identifier: BSD-3-Clause
// Pairs that others confirm or contradict, and shifts that faint textures tell.
#include "apps/stitch/positions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace stitch {
namespace {

/// The pairs of a grid whose tiles lie at random around a regular one.
struct Translations3x4 {
  Grid grid{3, 4};
  std::vector<Pair> pairs = grid.pairs();
  std::vector<Position> truth;
  std::vector<Placement> placements;

  explicit Translations3x4(unsigned seed) {
    std::mt19937 random(seed);
    for (int tile = 0; tile < grid.size(); ++tile)
      truth.push_back({grid.cell(tile).column * 80 + std::int64_t(random() % 7),
                       grid.cell(tile).row * 60 + std::int64_t(random() % 7)});
    for (const Pair& pair : pairs)
      placements.push_back({{.shift = {static_cast<int>(truth[at(pair.second)].x - truth[at(pair.first)].x),
                                       static_cast<int>(truth[at(pair.second)].y - truth[at(pair.first)].y)},
                             .correlation = 0.5,
                             .evidence = 30},
                            Origin::measured,
                            pair});
  }
  std::size_t pair(int first, int second) const {
    for (std::size_t i = 0; i < pairs.size(); ++i)
      if (pairs[i].first == first && pairs[i].second == second) return i;
    return pairs.size();
  }
  /// The pairs of which `function` says so.
  std::vector<std::size_t> of(std::vector<bool> (*function)(const Grid&, const Placements&)) const {
    const std::vector<bool> is = function(grid, placements);
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < is.size(); ++i)
      if (is[i]) numbers.push_back(i);
    return numbers;
  }
};

TEST(StitchContradictions, TheWrongPairIsFound) {
  for (unsigned seed = 1; seed < 9; ++seed) {
    const Translations3x4 right(seed);
    EXPECT_EQ(right.of(confirmed).size(), right.pairs.size());
    EXPECT_TRUE(right.of(contradicted).empty());
    // Tiles 5 and 6 lie in the middle; 0 and 4 at the border; 1 and 2 above.
    for (const auto& [first, second] : {std::pair{5, 6}, {1, 5}, {1, 2}, {4, 8}}) {
      Translations3x4 wrong(seed);
      const std::size_t pair = wrong.pair(first, second);
      wrong.placements[pair].translation.shift.x += 4;
      wrong.placements[pair].translation.correlation = 0.9;
      if (first != 4) {  // Beside the corner the other pair of tile 8 may be the wrong one.
        EXPECT_EQ(wrong.of(contradicted), std::vector{pair}) << first << " " << second;
        for (const Solver solver : {Solver::tree, Solver::least_squares}) {
          const auto found = positions_of(wrong.grid, wrong.placements, {}, solver);
          for (int tile = 1; tile < wrong.grid.size(); ++tile) {
            EXPECT_EQ(found[at(tile)].x - found[0].x, wrong.truth[at(tile)].x - wrong.truth[0].x) << tile;
            EXPECT_EQ(found[at(tile)].y - found[0].y, wrong.truth[at(tile)].y - wrong.truth[0].y) << tile;
          }
        }
      }
      const auto sure = wrong.of(confirmed);
      EXPECT_EQ(std::ranges::count(sure, pair), 0);
      EXPECT_LT(sure.size(), wrong.pairs.size());
    }
  }
}

TEST(StitchContradictions, RoundingContradictsNothing) {
  Translations3x4 plate(3);
  plate.placements[plate.pair(5, 6)].translation.shift.y += 1;
  EXPECT_TRUE(plate.of(contradicted).empty());
  // The circles on both sides do not close exactly, but those beside them do.
  const auto sure = plate.of(confirmed);
  EXPECT_EQ(std::ranges::count(sure, plate.pair(5, 6)), 0);
  EXPECT_EQ(std::ranges::count(sure, plate.pair(0, 1)), 1);
}

TEST(StitchContradictions, PairsOfTheModelTellNothing) {
  Translations3x4 plate(4);
  for (Placement& one : plate.placements) one.origin = Origin::model;
  EXPECT_TRUE(plate.of(confirmed).empty());
  EXPECT_TRUE(plate.of(contradicted).empty());
}

constexpr Extent extent{64, 48};
constexpr Shift step{44, 0};

/// Two tiles of a plate with one strong edge, which looks the same all along, beside a faint texture. Light
/// falls on both from the left.
struct EdgeTiles {
  std::vector<std::uint16_t> first, second;
  Pixels a() const { return {extent, first}; }
  Pixels b() const { return {extent, second}; }

  EdgeTiles(Shift shift, int faint, int noise, unsigned seed) {
    std::mt19937 random(seed);
    const auto below = [&](int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); };
    constexpr int width = 120, height = 64;
    std::vector<int> plate(width * height);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        plate[static_cast<std::size_t>(y * width + x)] = (x + y < 84 ? 9000 : 30000) + below(faint);
    const auto tile = [&](int left, int top) {
      std::vector<std::uint16_t> pixels;
      for (int y = 0; y < extent.height; ++y)
        for (int x = 0; x < extent.width; ++x)
          pixels.push_back(static_cast<std::uint16_t>(
              plate[static_cast<std::size_t>((top + y) * width + left + x)] * (100 - x / 3) / 100 +
              below(noise)));
      return pixels;
    };
    first = tile(0, 8);
    second = tile(shift.x, 8 + shift.y);
  }
};

/// The difference between a pixel and the one `dx` to its right and `dy` below; 0 if there is none.
int difference(const std::vector<std::uint16_t>& tile, int x, int y, int dx, int dy) {
  return x + dx < extent.width && y + dy < extent.height
             ? tile[static_cast<std::size_t>((y + dy) * extent.width + x + dx)] -
                   tile[static_cast<std::size_t>(y * extent.width + x)]
             : 0;
}

/// Twice the median of the sizes of the differences in some columns of a tile.
int twice_the_median(const std::vector<std::uint16_t>& tile, int begin, int end) {
  std::vector<int> sizes;
  for (int y = 0; y < extent.height; ++y)
    for (int x = begin; x < end; ++x)
      for (const int right : {1, 0}) sizes.push_back(std::abs(difference(tile, x, y, right, 1 - right)));
  std::ranges::sort(sizes);
  return 2 * sizes[sizes.size() / 2];
}

TEST(StitchClippedDifferences, AreTheirDefinition) {
  for (unsigned seed = 1; seed < 6; ++seed) {
    const EdgeTiles tiles({46, 2}, 300, 200, seed);
    const ClippedDifferences a(tiles.a(), {40, 64}, {0, 48}), b(tiles.b(), {0, 20}, {0, 48});
    const int most_first = twice_the_median(tiles.first, 40, 64),
              most_second = twice_the_median(tiles.second, 0, 20);
    for (const Shift shift : {Shift{46, 2}, {50, -3}}) {
      double product = 0, one = 0, other = 0, n = 0;
      for (const int right : {1, 0}) {
        std::vector<double> u, v;
        for (int y = std::max(0, shift.y); y + 1 < std::min(48, 48 + shift.y); ++y)
          for (int x = shift.x; x + 1 < 64; ++x) {
            u.push_back(std::clamp(difference(tiles.first, x, y, right, 1 - right), -most_first, most_first));
            v.push_back(std::clamp(difference(tiles.second, x - shift.x, y - shift.y, right, 1 - right),
                                   -most_second, most_second));
          }
        n = static_cast<double>(u.size());
        double mean_u = 0, mean_v = 0;
        for (std::size_t i = 0; i < u.size(); ++i) mean_u += u[i] / n, mean_v += v[i] / n;
        for (std::size_t i = 0; i < u.size(); ++i) {
          product += (u[i] - mean_u) * (v[i] - mean_v);
          one += (u[i] - mean_u) * (u[i] - mean_u);
          other += (v[i] - mean_v) * (v[i] - mean_v);
        }
      }
      EXPECT_NEAR(ClippedDifferences::evidence(a, b, shift), product / std::sqrt(one * other) * std::sqrt(n),
                  1e-6);
    }
    EXPECT_EQ(ClippedDifferences::evidence(a, b, {64, 0}), 0);
    EXPECT_EQ(ClippedDifferences::evidence(a, b, {63, 0}), 0);
  }
}

TEST(StitchClippedDifferences, TellWhereAlongAnEdgeATileLies) {
  const StageStep stage{step, 4, 9};
  int plain_wrong = 0;
  for (unsigned seed = 1; seed < 21; ++seed) {
    const Shift truth{42 + static_cast<int>(seed % 5), static_cast<int>(seed % 7) - 3};
    const EdgeTiles tiles(truth, 300, 200, seed);
    const Translation found = Searcher(extent)(stage, tiles.a(), tiles.b());
    EXPECT_EQ(found.shift, truth) << seed;
    // The correlation of pixels alone is deceived by the light.
    Shift best;
    for (int y = -9; y <= 9; ++y)
      for (int x = -9; x <= 9; ++x) {
        const Shift shift{step.x + x, step.y + y};
        if (correlation(tiles.a(), tiles.b(), shift) > correlation(tiles.a(), tiles.b(), best)) best = shift;
      }
    plain_wrong += best == truth ? 0 : 1;
  }
  EXPECT_GT(plain_wrong, 5);
}

}  // namespace
}  // namespace stitch
