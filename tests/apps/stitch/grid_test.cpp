// SPDX-License-Identifier: BSD-3-Clause
// Grids, traversals, bands of ranks, and how many transforms are alive.
#include "apps/stitch/tiles.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>

#include "graph/kept_items.hpp"
#include "tessera/graph/pairing.hpp"

namespace stitch {
namespace {

using tessera::graph::Pairing;

constexpr int traversals = std::size(traversal_names);

Grid random_grid(std::mt19937& random) {
  const auto below = [&](unsigned limit) { return static_cast<int>(random() % limit); };
  Grid grid(1 + below(7), 1 + below(7));
  for (int tile = 0; tile < grid.size(); ++tile)
    if (below(5) == 0) grid.remove(tile);
  return grid;
}

TEST(StitchGrid, PairsAreAllNeighboursThatArePresent) {
  std::mt19937 random(1);
  for (int i = 0; i < 50; ++i) {
    const Grid grid = random_grid(random);
    std::set<std::pair<int, int>> expected, found;
    for (int a = 0; a < grid.size(); ++a)
      for (int b = 0; b < grid.size(); ++b) {
        const Cell p = grid.cell(a), q = grid.cell(b);
        const bool follows =
            (p.row == q.row && p.column + 1 == q.column) || (p.column == q.column && p.row + 1 == q.row);
        if (follows && grid.has(a) && grid.has(b)) expected.insert({a, b});
      }
    for (const Pair& pair : grid.pairs()) {
      EXPECT_EQ(pair.direction == Direction::right, grid.cell(pair.first).row == grid.cell(pair.second).row);
      EXPECT_TRUE(found.insert({pair.first, pair.second}).second);
    }
    EXPECT_EQ(found, expected);
    Pairs left = grid.pairs();
    if (left.empty()) continue;
    Grid other = grid;
    other.remove(left.back());
    left.pop_back();
    EXPECT_EQ(other.pairs(), left);
  }
}

Grid without_some_pairs(Grid grid, std::mt19937& random) {
  for (const Pair& pair : grid.pairs())
    if (random() % 3 == 0) grid.remove(pair);
  return grid;
}

TEST(StitchGrid, RanksShareThePairsInTheirOrder) {
  std::mt19937 random(2);
  for (int i = 0; i < 50; ++i) {
    const Grid grid = random_grid(random);
    const int ranks = 1 + static_cast<int>(random() % 9);
    std::vector<Pair> all;
    for (int rank = 0; rank < ranks; ++rank) {
      const auto mine = pairs_of(grid, Band::of_rank(grid, ranks, rank));
      all.insert(all.end(), mine.begin(), mine.end());
    }
    EXPECT_EQ(all, grid.pairs());
  }
}

TEST(StitchGrid, TraversalsVisitEachTileThatHasAPairOnce) {
  std::mt19937 random(3);
  for (int i = 0; i < 50; ++i) {
    const Grid grid = without_some_pairs(random_grid(random), random);
    const int ranks = 1 + static_cast<int>(random() % 3), rank = static_cast<int>(random()) % ranks;
    const Band band = Band::of_rank(grid, ranks, std::abs(rank));
    const auto pairs = pairs_of(grid, band);
    std::vector<int> expected;
    for (const Pair& pair : pairs) expected.insert(expected.end(), {pair.first, pair.second});
    std::ranges::sort(expected);
    expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
    for (int traversal = 0; traversal < traversals; ++traversal) {
      auto tiles = tiles_in_order(grid, band, Halo::recompute, static_cast<Traversal>(traversal));
      std::ranges::sort(tiles);
      EXPECT_EQ(tiles, expected);
    }
  }
}

TEST(StitchGrid, EachTileIsTransformedOnceAndSentToWhoNeedsIt) {
  std::mt19937 random(5);
  for (int i = 0; i < 50; ++i) {
    const Grid grid = without_some_pairs(random_grid(random), random);
    const int ranks = 1 + static_cast<int>(random() % 5);
    std::vector<std::set<int>> needed(static_cast<std::size_t>(ranks)), got(needed.size());
    std::multiset<int> transformed;
    for (int rank = 0; rank < ranks; ++rank) {
      const Band band = Band::of_rank(grid, ranks, rank);
      for (const Pair& pair : pairs_of(grid, band))
        needed[static_cast<std::size_t>(rank)].insert({pair.first, pair.second});
      for (const int tile :
           tiles_in_order(grid, band, Halo::send, static_cast<Traversal>(random() % traversals))) {
        transformed.insert(tile);
        for (const int to : ranks_that_need(grid, ranks, grid.cell(tile).row))
          got[static_cast<std::size_t>(to)].insert(tile);
      }
    }
    std::set<int> paired;
    for (const Pair& pair : grid.pairs()) paired.insert({pair.first, pair.second});
    EXPECT_TRUE(std::ranges::equal(transformed, paired));
    for (std::size_t rank = 0; rank < needed.size(); ++rank)
      EXPECT_TRUE(std::ranges::includes(got[rank], needed[rank])) << rank << " of " << ranks;
  }
}

TEST(StitchGrid, TraversalsHaveTheirOrder) {
  const Grid grid(2, 3);  // 0 1 2 above 3 4 5
  const auto order = [&](Traversal traversal) {
    return tiles_in_order(grid, {0, 2}, Halo::recompute, traversal);
  };
  using Tiles = std::vector<int>;
  EXPECT_EQ(order(Traversal::rows), (Tiles{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(order(Traversal::chained_rows), (Tiles{0, 1, 2, 5, 4, 3}));
  EXPECT_EQ(order(Traversal::columns), (Tiles{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(order(Traversal::chained_columns), (Tiles{0, 3, 4, 1, 2, 5}));
  EXPECT_EQ(order(Traversal::diagonals), (Tiles{0, 1, 3, 2, 4, 5}));
  EXPECT_EQ(order(Traversal::chained_diagonals), (Tiles{0, 3, 1, 2, 4, 5}));
}

TEST(StitchGrid, TransformsAliveAreCountedRight) {
  std::mt19937 random(4);
  for (int i = 0; i < 40; ++i) {
    const Grid grid = random_grid(random);
    const Pairing pairing(grid.pairs());
    std::vector<std::array<int, 2>> pairs;
    for (int pair = 0; pair < pairing.size(); ++pair) pairs.push_back(pairing[pair]);
    for (int traversal = 0; traversal < traversals; ++traversal) {
      const auto tiles =
          tiles_in_order(grid, {0, grid.rows()}, Halo::recompute, static_cast<Traversal>(traversal));
      EXPECT_EQ(pairing.most_kept(tiles), tessera::graph_test::most_kept_by_definition(pairs, tiles));
    }
  }
}

int live(int rows, int columns, std::optional<Traversal> traversal) {
  const Grid grid(rows, columns);
  return Pairing(grid.pairs()).most_kept(tiles_in_order(grid, {0, rows}, Halo::recompute, traversal));
}

TEST(StitchGrid, LongGridsNeedAsManyTransformsAsTheirShorterSideAndOneOrTwo) {
  EXPECT_EQ(live(42, 59, Traversal::chained_diagonals), 44);
  EXPECT_EQ(live(59, 42, Traversal::chained_diagonals), 44);
  for (const auto& [rows, columns] : {std::pair{42, 59}, {59, 42}, {8, 8}, {2, 2}, {1, 9}, {9, 1}}) {
    EXPECT_EQ(live(rows, columns, std::nullopt), 1 + std::min(rows, columns));
  }
  EXPECT_EQ(live(1, 1, Traversal::rows), 0);
}

TEST(StitchGrid, BandsNeedAsManyTransformsAsTheirShorterSideAndOne) {
  for (const auto& [rows, columns] : {std::pair{42, 20}, {20, 42}, {9, 4}, {12, 12}})
    for (const int ranks : {1, 2, 3, 5})
      for (int rank = 0; rank < ranks; ++rank) {
        const Grid grid(rows, columns);
        const Band band = Band::of_rank(grid, ranks, rank);
        const int live = Pairing(pairs_of(grid, band))
                             .most_kept(tiles_in_order(grid, band, Halo::recompute, std::nullopt));
        const Band read = band.transformed(Halo::recompute);
        EXPECT_LE(live, 1 + std::min(read.end - read.begin, columns)) << rank << " of " << ranks;
      }
}

}  // namespace
}  // namespace stitch
