// SPDX-License-Identifier: BSD-3-Clause
// Distributions over grids in any order, of several levels, with balanced slices, over some of the ranks.
#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "domain/owned_parts.hpp"
#include "domain/random.hpp"
#include "messages.hpp"
#include "tessera/domain/block_distribution.hpp"
#include "tessera/domain/error.hpp"

namespace {

using namespace tessera;
using test::Point;

/// Any grid of up to 4 dimensions, numbered in any way.
ProcessorGrid random_digits(test::Random& random, int dimensions) {
  ProcessorGrid grid;
  grid.dimensions = dimensions;
  for (int i = random.small(0, 5); i > 0; --i) {
    const int d = random.small(0, dimensions - 1);
    const int size = random.small(1, 3);
    grid.size[d] *= size;
    grid.digits.push_back({d, size});
  }
  if (random.chance(30)) grid.digits.clear();
  return grid;
}

BlockDistribution random_blocks(test::Random& random) {
  const int dimensions = random.small(1, 4);
  const Box nominal = random.box(dimensions, -5, 5, dimensions < 3 ? 40 : 6);
  Box domain = nominal;
  for (int d = 0; d < dimensions; ++d)
    domain[d] = {nominal[d].begin - random.small(0, 3), nominal[d].end + random.small(0, 3)};
  return BlockDistribution(domain, nominal, random_digits(random, dimensions),
                           random.chance(50) ? Slicing::ceil : Slicing::balanced, random.small(0, 3));
}

std::string text_of(const BlockDistribution& blocks) {
  return to_string(blocks.domain()) + " over " + blocks.grid().text();
}

TEST(ProcessorGrid, PositionsAndRanksAreInverse) {
  test::Random random(81);
  for (int i = 0; i < 500; ++i) {
    const ProcessorGrid grid = random_digits(random, random.small(1, 4));
    std::set<ProcessorGrid::Position> seen;
    for (int rank = 0; rank < grid.rank_count(); ++rank) {
      const ProcessorGrid::Position position = grid.position(rank);
      EXPECT_EQ(grid.rank(position), rank) << grid.text();
      for (int d = 0; d < grid.dimensions; ++d)
        EXPECT_LT(position[static_cast<std::size_t>(d)], grid.size[d]);
      seen.insert(position);
    }
    EXPECT_EQ(static_cast<int>(seen.size()), grid.rank_count());
  }
}

TEST(ProcessorGrid, PositionsOfARankRangeAreTheirHull) {
  test::Random random(82);
  for (int i = 0; i < 200; ++i) {
    const ProcessorGrid grid = random_digits(random, random.small(1, 4));
    const int first = random.small(0, grid.rank_count() - 1);
    const int last = random.small(first + 1, grid.rank_count());
    const ProcessorGrid::Positions hull = grid.positions(first, last);
    for (int rank = first; rank < last; ++rank)
      for (std::size_t d = 0; d < max_dimensions; ++d) {
        EXPECT_GE(grid.position(rank)[d], hull.first[d]) << grid.text();
        EXPECT_LT(grid.position(rank)[d], hull.last[d]) << grid.text();
      }
  }
}

TEST(BlockDistribution, OfAnyGridGivesEveryPointOneOwner) {
  test::Random random(83);
  for (int i = 0; i < 500; ++i) {
    const BlockDistribution blocks = random_blocks(random);
    std::vector<int> owner(static_cast<std::size_t>(blocks.domain().size()), -1);
    for (int rank = 0; rank < blocks.first_rank() + blocks.rank_count() + 2; ++rank)
      test::for_each_point(blocks.owned(rank), [&](const Point& p) {
        int& before = owner[test::dense_index(blocks.domain(), p)];
        EXPECT_EQ(before, -1) << text_of(blocks);
        before = rank;
      });
    test::for_each_point(blocks.domain(), [&](const Point& p) {
      EXPECT_EQ(blocks.owner(p), owner[test::dense_index(blocks.domain(), p)]) << text_of(blocks);
    });
  }
}

TEST(BlockDistribution, OfAnyGridFindsTheOwnersOfABox) {
  test::Random random(84);
  for (int i = 0; i < 1000; ++i) {
    const BlockDistribution blocks = random_blocks(random);
    const Box box = random.box(blocks.domain().dimensions, -10, 20, 9, 0);
    EXPECT_EQ(blocks.owned_parts(box), test::parts_by_brute_force(blocks, box))
        << text_of(blocks) << ": " << to_string(box);
  }
}

TEST(BlockDistribution, HullsOfRankRangesHoldTheirMembersInAnyGrid) {
  test::Random random(85);
  for (int i = 0; i < 300; ++i) {
    const BlockDistribution blocks = random_blocks(random);
    const int first = random.small(0, blocks.rank_count() + 2),
              last = random.small(first, blocks.rank_count() + 5);
    const Box hull = blocks.owned_hull(first, last);
    for (int rank = first; rank < last; ++rank)
      EXPECT_TRUE(hull.contains(blocks.owned(rank))) << text_of(blocks);
  }
}

TEST(BlockDistribution, BalancedSlicesDifferByAtMostOnePoint) {
  for (int extent = 1; extent <= 60; ++extent)
    for (int ranks = 1; ranks <= 70; ++ranks) {
      const Box box{{5, 5 + extent}};
      const BlockDistribution blocks(box, box, {1, {ranks, 1, 1, 1}}, Slicing::balanced);
      std::int64_t least = extent, most = 0, total = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const std::int64_t size = blocks.owned(rank).size();
        least = std::min(least, size);
        most = std::max(most, size);
        total += size;
      }
      EXPECT_LE(most - least, 1) << extent << " on " << ranks;
      EXPECT_EQ(total, extent);
    }
}

TEST(BlockDistribution, ReachesBeyond32Bits) {
  const std::int64_t side = std::int64_t{1} << 31;
  const Box box{{0, side}, {0, side}, {0, 7}};
  for (const Slicing slicing : {Slicing::ceil, Slicing::balanced}) {
    const BlockDistribution blocks(box, box, {2, {1000, 1000, 1, 1}}, slicing);
    const Point p{{side - 1, side / 2, 3, 0}};
    const int owner = blocks.owner(p);
    EXPECT_TRUE(blocks.owned(owner).contains(p));
    const Box column{{side - 1, side}, {side / 2, side / 2 + 1}, {0, 7}};
    EXPECT_EQ(blocks.owned_parts(column), (std::vector<OwnedPart>{{owner, column}}));
  }
}

TEST(ResolveGrid, WeighsTheFootprint) {
  const Box square{{0, 4096}, {0, 4096}};
  GridTarget wide;
  wide.below = wide.above = {8, 1, 1, 1};
  // Ghosts of 8 columns against 1 row: cut rows only.
  EXPECT_EQ(resolve_grid({{0, 0}}, square, 16, wide).text(), "[1, 16]");
  GridTarget tall;
  tall.below = tall.above = {1, 8, 1, 1};
  EXPECT_EQ(resolve_grid({{0, 0}}, square, 16, tall).text(), "[16, 1]");
  EXPECT_EQ(resolve_grid({{0, 0}}, square, 16).text(), "[4, 4]");
}

/// By going through all ranks.
std::int64_t counted_ghosts(const BlockDistribution& blocks, const GridTarget& target) {
  std::int64_t ghosts = 0;
  for (int rank = 0; rank < blocks.rank_count(); ++rank) {
    const Box owned = blocks.owned(rank);
    if (owned.empty()) continue;
    Box grown = owned;
    for (int d = 0; d < owned.dimensions; ++d) {
      const auto i = static_cast<std::size_t>(d);
      grown[d] = d < blocks.grid().dimensions
                     ? intersection({owned[d].begin - target.below[i], owned[d].end + target.above[i]},
                                    blocks.domain()[d])
                     : owned[d];
    }
    ghosts += grown.size() - owned.size();
  }
  return ghosts;
}

TEST(GhostPoints, AreThoseOfAllRanks) {
  test::Random random(87);
  for (int i = 0; i < 500; ++i) {
    const int dimensions = random.small(1, 3);
    Box box = random.box(dimensions, 0, 0, 30);
    ProcessorGrid grid;
    grid.dimensions = dimensions;
    GridTarget target;
    target.slicing = random.chance(50) ? Slicing::ceil : Slicing::balanced;
    for (int d = 0; d < dimensions; ++d) {
      grid.size[d] = random.small(1, 7);
      target.below[static_cast<std::size_t>(d)] = random.between(0, 12);
      target.above[static_cast<std::size_t>(d)] = random.between(0, 12);
    }
    EXPECT_EQ(ghost_points(grid, box, target),
              static_cast<double>(counted_ghosts(BlockDistribution(box, box, grid, target.slicing), target)))
        << to_string(box) << " over " << grid.text();
  }
}

TEST(ResolveGrid, OfLevelsGivesEachNodeOneBlock) {
  GridTarget machine;
  machine.levels = {4, 2, 8};  // nodes, NUMA domains, ranks
  const Box box{{0, 4096}, {0, 4096}};
  const ProcessorGrid grid = resolve_grid({{0, 0}}, box, 64, machine);
  EXPECT_EQ(grid.rank_count(), 64);
  const BlockDistribution blocks(box, box, grid);
  for (int node = 0; node < 4; ++node) {
    Box hull;
    std::int64_t points = 0;
    for (int rank = 16 * node; rank < 16 * (node + 1); ++rank) {
      hull = tessera::hull(hull, blocks.owned(rank));
      points += blocks.owned(rank).size();
    }
    EXPECT_EQ(hull.size(), points) << "the blocks of a node are one block";
    EXPECT_EQ(hull, blocks.owned_hull(16 * node, 16 * (node + 1)));
    EXPECT_EQ(hull[0].size(), 2048);
    EXPECT_EQ(hull[1].size(), 2048);
  }
}

TEST(ResolveGrid, OfLevelsKeepsFixedEntries) {
  GridTarget machine;
  machine.levels = {2, 3};
  const Box box{{0, 100}, {0, 100}};
  EXPECT_EQ(resolve_grid({{1, 0}}, box, 6, machine).text(), "[1, 6]");
  EXPECT_EQ(resolve_grid({{3, 2}}, box, 6, machine).text(), "[3, 2]");
  EXPECT_THROW(resolve_grid({{4, 0}}, box, 6, machine), InputError);
  machine.levels = {2, 2};
  test::expect_message(test::message_of<InputError>([&] {
                         resolve_grid({{0, 0}}, box, 6, machine);
                       }),
                       {"machine multiply", "6 ranks"});
}

TEST(ResolveGrid, NumbersRanksInTheOrderAskedFor) {
  const Box box{{0, 100}, {0, 100}};
  const ProcessorGrid grid = resolve_grid({{2, 3}, {1, 0}}, box, 6);
  EXPECT_EQ(grid.position(1), (ProcessorGrid::Position{0, 1, 0, 0})) << "y is fastest";
  EXPECT_EQ(grid.position(3), (ProcessorGrid::Position{1, 0, 0, 0}));
  EXPECT_EQ(resolve_grid({{2, 3}, {1}}, box, 6), grid) << "what is left out follows";
  EXPECT_EQ(resolve_grid({{2, 3}}, box, 6).position(1), (ProcessorGrid::Position{1, 0, 0, 0}));
  EXPECT_EQ(resolve_grid({{2, 3}, {2, 1}}, box, 6), grid) << "the grid has no dimension 2";
  for (const std::vector<int>& order : {std::vector{0, 0}, std::vector{-1}})
    EXPECT_THROW(resolve_grid({{2, 3}, order}, box, 6), InputError);
}

TEST(ResolveGrid, CutsBalancedSlicesWhereCeilSlicesLeaveRanksIdle) {
  // 13 rows on 10 ranks: ceil slices of two rows leave three ranks idle.
  const Box box{{0, 7}, {0, 13}};
  GridTarget balanced;
  balanced.slicing = Slicing::balanced;
  EXPECT_EQ(resolve_grid({{1, 0}}, box, 10, balanced).text(), "[1, 10]");
  // [1, 10] would read 126 points of other ranks, [2, 5] 98.
  EXPECT_EQ(resolve_grid({{0, 0}}, box, 10, balanced).text(), "[2, 5]");
}

TEST(ResolveGrid, OfLevelsLeavesNoRankIdleIfThatCanBeHad) {
  GridTarget machine;
  machine.levels = {2, 18};
  const Box box{{0, 4}, {0, 9}};
  EXPECT_EQ(resolve_grid({{0, 0}}, box, 36, machine).text(), "[4, 9]");
}

TEST(ResolveGrid, OfAMillionRanksIsQuick) {
  // Trying every number up to the rank count in each dimension would not end while somebody waits.
  const Box box{{0, 1 << 20}, {0, 1 << 20}, {0, 1 << 20}};
  EXPECT_EQ(resolve_grid({{0, 0, 0}}, box, 1'000'000).text(), "[100, 100, 100]");
}

}  // namespace
