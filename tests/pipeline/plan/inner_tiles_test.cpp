// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/plan/tiles.hpp"

#include <gtest/gtest.h>

#include "domain/random.hpp"

namespace {

using namespace tessera;

TEST(InnerTiles, AreWalkedAlongYFirst) {
  const InnerTiles tiles({Box{{0, 10}, {0, 7}}}, {10, 7}, {6, 3});
  EXPECT_EQ(tiles.size(), 6);
  const std::vector<Box> expected = {{{0, 6}, {0, 3}},  {{0, 6}, {3, 6}},  {{0, 6}, {6, 7}},
                                     {{6, 10}, {0, 3}}, {{6, 10}, {3, 6}}, {{6, 10}, {6, 7}}};
  EXPECT_EQ(tiles.walk(0), expected);
}

TEST(InnerTiles, PlanesComeLast) {
  const InnerTiles tiles({Box{{0, 2}, {0, 2}, {5, 7}}}, {2, 2, 2}, {1, 1, 1});
  const std::vector<Box> walk = tiles.walk(0);
  ASSERT_EQ(walk.size(), 8U);
  EXPECT_EQ(walk[1], (Box{{0, 1}, {1, 2}, {5, 6}}));
  EXPECT_EQ(walk[2], (Box{{1, 2}, {0, 1}, {5, 6}}));
  EXPECT_EQ(walk[4], (Box{{0, 1}, {0, 1}, {6, 7}}));
}

TEST(InnerTiles, HaveOneDimensionToo) {
  const InnerTiles tiles({Box{{3, 10}}}, {5}, {2});
  EXPECT_EQ(tiles.tiles().size(), 2);
  EXPECT_EQ(tiles.size(), 4);
  EXPECT_EQ(tiles.walk(0), (std::vector<Box>{{{3, 5}}, {{5, 7}}, {{7, 8}}}));
  EXPECT_EQ(tiles.walk(1), (std::vector<Box>{{{8, 10}}}));
}

TEST(InnerTiles, ATileThatIsNotCutIsItsOwn) {
  const InnerTiles tiles({Box{{0, 10}, {0, 7}}}, {4, 4}, {});
  ASSERT_EQ(tiles.size(), tiles.tiles().size());
  for (std::int64_t t = 0; t < tiles.size(); ++t) {
    EXPECT_EQ(tiles.first(t), t);
    EXPECT_EQ(tiles.walk(t), std::vector<Box>{tiles.tiles()[t]});
  }
  EXPECT_EQ(InnerTiles().size(), 0);
}

TEST(InnerTiles, HaveEveryPointOfTheirTileOnce) {
  test::Random random(1201);
  for (int i = 0; i < 200; ++i) {
    const int dimensions = random.small(1, 3);
    const std::vector<Box> parts = {random.box(dimensions, -5, 5, 12), {}, random.box(dimensions, 20, 25, 6)};
    TileSize tile, inner;
    for (int d = 0; d < dimensions; ++d) {
      tile.push_back(random.small(1, 9));
      inner.push_back(random.small(1, 5));
    }
    const InnerTiles tiles(parts, tile, inner);
    std::int64_t number = 0;
    for (std::int64_t t = 0; t < tiles.tiles().size(); ++t) {
      const Box points = tiles.tiles()[t];
      std::int64_t sum = 0;
      EXPECT_EQ(tiles.first(t), number);
      for (const Box& box : tiles.walk(t)) {
        EXPECT_EQ(tiles.inner(t, points, number++), box);
        EXPECT_TRUE(points.contains(box));
        sum += box.size();
      }
      EXPECT_EQ(sum, points.size());
    }
    EXPECT_EQ(tiles.size(), number);
  }
}

TEST(RowsToCompute, AreThoseThatTheBoxBeforeHadNot) {
  const Box before{{0, 8}, {10, 20}};
  EXPECT_EQ(rows_to_compute(before, Box{{0, 8}, {18, 28}}), (Box{{0, 8}, {20, 28}}));
  EXPECT_EQ(rows_to_compute(before, Box{{0, 8}, {10, 28}}), (Box{{0, 8}, {20, 28}}));
  // The next box begins where the one before ends, or later.
  EXPECT_EQ(rows_to_compute(before, Box{{0, 8}, {20, 30}}), (Box{{0, 8}, {20, 30}}));
  EXPECT_EQ(rows_to_compute(before, Box{{0, 8}, {25, 30}}), (Box{{0, 8}, {25, 30}}));
}

TEST(RowsToCompute, AreNoneIfAllAreKept) {
  const Box before{{0, 8}, {10, 20}, {0, 3}};
  EXPECT_TRUE(rows_to_compute(before, before).empty());
  EXPECT_TRUE(rows_to_compute(before, Box{{0, 8}, {15, 20}, {0, 3}}).empty());
  EXPECT_TRUE(rows_to_compute(Box{{2, 5}}, Box{{2, 5}}).empty());
}

TEST(RowsToCompute, AreAllIfTheBoxesDoNotFollowEachOther) {
  const Box before{{0, 8}, {10, 20}};
  for (const Box& now : {Box{{0, 9}, {18, 28}}, Box{{1, 9}, {18, 28}}, Box{{0, 8}, {9, 28}},
                         Box{{0, 8}, {12, 19}}, Box{{0, 8}, {10, 20}, {0, 1}}, Box{{0, 0}, {18, 28}}, Box{}})
    EXPECT_EQ(rows_to_compute(before, now), now);
  for (const Box& empty : {Box{}, Box{{0, 8}, {10, 10}}}) EXPECT_EQ(rows_to_compute(empty, before), before);
  EXPECT_EQ(rows_to_compute(Box{{2, 5}}, Box{{2, 6}}), (Box{{2, 6}}));
  EXPECT_EQ(rows_to_compute(Box{{0, 8}, {0, 2}, {0, 1}}, Box{{0, 8}, {1, 3}, {1, 2}}),
            (Box{{0, 8}, {1, 3}, {1, 2}}));
}

}  // namespace
