// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/domain/block_distribution.hpp"

#include <gtest/gtest.h>

#include "domain/owned_parts.hpp"
#include "domain/random.hpp"

namespace {

using namespace tessera;
using test::Point;

struct Sample {
  BlockDistribution blocks;
  std::string text;
};

ProcessorGrid random_grid(test::Random& random, int dimensions, int most) {
  ProcessorGrid grid;
  grid.dimensions = random.small(1, dimensions);
  for (int d = 0; d < grid.dimensions; ++d) grid.size[d] = random.small(1, most);
  return grid;
}

/// A domain that is larger than its nominal box on some sides.
Sample random_padded(test::Random& random, int most_ranks_per_dimension) {
  const int dimensions = random.small(1, 3);
  const Box nominal = random.box(dimensions, -9, 9, 12);
  Box domain = nominal;
  for (int d = 0; d < dimensions; ++d)
    domain[d] = {nominal[d].begin - random.small(0, 3), nominal[d].end + random.small(0, 3)};
  const ProcessorGrid grid = random_grid(random, dimensions, most_ranks_per_dimension);
  return {BlockDistribution(domain, nominal, grid),
          to_string(domain) + " around " + to_string(nominal) + " over " + grid.text()};
}

/// The half-open range of the paper, empty ones as such.
Range paper_slice(std::int64_t index, std::int64_t extent, std::int64_t slices) {
  const std::int64_t s = (extent + slices - 1) / slices;
  return {index * s, std::min(extent, (index + 1) * s)};
}

void expect_slice(const Range& actual, const Range& paper, const std::string& text) {
  if (paper.empty())
    EXPECT_TRUE(actual.empty()) << text;
  else
    EXPECT_EQ(actual, paper) << text << ": " << actual.begin << ", " << actual.end;
}

TEST(BlockDistribution, IsThePapersInOneDimension) {
  for (int extent = 1; extent <= 40; ++extent)
    for (int ranks = 1; ranks <= 40; ++ranks) {
      const Box box{{0, extent}};
      const BlockDistribution blocks(box, box, {1, {ranks, 1, 1, 1}});
      for (int r = 0; r < ranks; ++r)
        expect_slice(blocks.owned(r)[0], paper_slice(r, extent, ranks),
                     std::to_string(extent) + " on " + std::to_string(ranks));
    }
}

TEST(BlockDistribution, IsThePapersNestedInTwoAndThreeDimensions) {
  test::Random random(21);
  for (int i = 0; i < 3000; ++i) {
    const int w = random.small(1, 50), h = random.small(1, 50), d = random.small(1, 20);
    const int a = random.small(1, 9), b = random.small(1, 9);
    const int c = random.chance(50) ? 1 : random.small(2, 5);
    const Box box{{0, w}, {0, h}, {0, d}};
    const BlockDistribution blocks(box, box, {c == 1 ? 2 : 3, {a, b, c, 1}});
    const int r = random.small(0, a * b * c - 1);
    const Box owned = blocks.owned(r);
    const std::string text = to_string(box) + " over " + blocks.grid().text() + ", rank " + std::to_string(r);
    const bool idle =
        paper_slice(r % (a * b) % a, w, a).empty() || paper_slice(r % (a * b) / a, h, b).empty();
    EXPECT_LE(idle, owned.empty()) << text;
    expect_slice(owned[0], paper_slice(r % (a * b) % a, w, a), text);
    expect_slice(owned[1], paper_slice(r % (a * b) / a, h, b), text);
    expect_slice(owned[2], paper_slice(r / (a * b), d, c), text);
  }
}

TEST(BlockDistribution, EveryPointOfAPaddedDomainHasOneOwner) {
  test::Random random(22);
  for (int i = 0; i < 500; ++i) {
    const auto [blocks, text] = random_padded(random, 5);
    std::vector<int> owners(static_cast<std::size_t>(blocks.domain().size()), 0);
    for (int rank = 0; rank < blocks.rank_count(); ++rank) {
      const Box owned = blocks.owned(rank);
      EXPECT_TRUE(blocks.domain().contains(owned)) << text;
      test::for_each_point(
          owned, [&, &domain = blocks.domain()](const Point& p) { ++owners[test::dense_index(domain, p)]; });
    }
    for (int count : owners) EXPECT_EQ(count, 1) << text;
  }
}

TEST(BlockDistribution, PaddingBelongsToTheEdgeBlocks) {
  test::Random random(23);
  for (int i = 0; i < 500; ++i) {
    const auto [blocks, text] = random_padded(random, 5);
    const BlockDistribution plain(blocks.nominal(), blocks.nominal(), blocks.grid());
    for (int rank = 0; rank < blocks.rank_count(); ++rank) {
      const Box inside = intersection(blocks.owned(rank), blocks.nominal());
      if (plain.owned(rank).empty())
        EXPECT_TRUE(inside.empty()) << text;
      else
        EXPECT_EQ(inside, plain.owned(rank)) << text;
    }
  }
}

TEST(BlockDistribution, HullOfARankRangeHoldsItsMembers) {
  test::Random random(24);
  for (int i = 0; i < 300; ++i) {
    const auto [blocks, text] = random_padded(random, 4);
    for (int first = 0; first < blocks.rank_count(); ++first)
      for (int last = first + 1; last <= blocks.rank_count(); ++last) {
        const Box hull = blocks.owned_hull(first, last);
        EXPECT_TRUE(blocks.domain().contains(hull)) << text;
        for (int rank = first; rank < last; ++rank)
          EXPECT_TRUE(hull.contains(blocks.owned(rank))) << text << ": " << first << " to " << last;
      }
    EXPECT_EQ(blocks.owned_hull(0, blocks.rank_count()), blocks.domain()) << text;
  }
}

TEST(BlockDistribution, OwnedPartsAreTheIntersectionsWithBlocks) {
  test::Random random(25);
  for (int i = 0; i < 1000; ++i) {
    const auto [blocks, text] = random_padded(random, 5);
    const Box box = random.box(blocks.domain().dimensions, -14, 20, 9, 0);
    EXPECT_EQ(blocks.owned_parts(box), test::parts_by_brute_force(blocks, box))
        << text << ": " << to_string(box);
  }
}

TEST(BlockDistribution, MoreRanksThanPointsLeaveTrailingBlocksEmpty) {
  const Box box{{0, 30}, {0, 4}};
  const BlockDistribution blocks(box, box, {1, {32, 1, 1, 1}});
  for (int rank = 0; rank < 30; ++rank)
    EXPECT_EQ(blocks.owned(rank), (Box{{rank, rank + 1}, {0, 4}})) << rank;
  EXPECT_TRUE(blocks.owned(30).empty());
  EXPECT_TRUE(blocks.owned(31).empty());
  EXPECT_EQ(blocks.owned_parts(Box{{28, 40}, {0, 9}}),
            (std::vector<OwnedPart>{{28, {{28, 29}, {0, 4}}}, {29, {{29, 30}, {0, 4}}}}));
}

TEST(BlockDistribution, OfManyRanksFindsPartnersWithoutAScan) {
  // A scan over 10^9 ranks would not end while somebody waits.
  const Box box{{0, 1'000'000'000'000}};
  const BlockDistribution blocks(box, box, {1, {1'000'000'000, 1, 1, 1}});
  EXPECT_EQ(blocks.owned_parts(Box{{499'999'999'999, 500'000'000'001}}),
            (std::vector<OwnedPart>{{499'999'999, {{499'999'999'999, 500'000'000'000}}},
                                    {500'000'000, {{500'000'000'000, 500'000'000'001}}}}));
}

}  // namespace
