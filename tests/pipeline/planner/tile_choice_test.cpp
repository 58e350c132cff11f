// SPDX-License-Identifier: BSD-3-Clause

#include <gtest/gtest.h>

#include "pipeline/planner/samples.hpp"
#include "tessera/pipeline/planner/tiling.hpp"

namespace {

using namespace tessera;

/// The tiles and the inner tiles for two sums.
struct Chosen {
  TileSize tile, inner;
};

Chosen chosen(const Box& image, Placement placement, const StageSchedule& vertical, int threads = 1) {
  const Pipeline pipeline = test::two_sums(image);
  Schedule schedule;
  schedule.stages["horizontal"].placement = placement;
  schedule.stages["vertical"] = vertical;
  Target target;
  target.threads = threads;
  target.device = false;
  const ScheduledPipeline scheduled(pipeline, schedule, target, 1);
  const std::vector<ArrayId> members = fused_members(scheduled, ArrayId{2});
  const TileSize tile = host_tile(scheduled, members, image);
  return {tile, inner_tile(scheduled, members, tile, image)};
}

TileSize chosen(const Box& image, const TileSize& asked, int threads = 1) {
  StageSchedule vertical;
  vertical.tile = asked;
  return chosen(image, Placement::tile, vertical, threads).tile;
}

TEST(TileChoice, WhatTheScheduleAsksForIsTaken) {
  EXPECT_EQ(chosen({{0, 1000}, {0, 500}}, {128, 32}), (TileSize{128, 32}));
}

TEST(TileChoice, EveryTileHasPointsInAllDimensions) {
  for (const Box& image : {Box{{0, 1}, {0, 1}}, Box{{0, 4096}, {0, 3}}, Box{{0, 3}, {0, 4096}}}) {
    const TileSize tile = chosen(image, {});
    ASSERT_EQ(tile.size(), 2U);
    for (std::int64_t size : tile) EXPECT_GE(size, 1);
  }
}

TEST(TileChoice, ThereAreTilesForAllThreads) {
  const Box image{{0, 4096}, {0, 4096}};
  const TileSize tile = chosen(image, {}, 8);
  EXPECT_GE(Tiles({image}, tile).size(), 8);
}

TEST(TileChoice, LargeImagesAreCutIntoFewerTilesThanAPlanMayHave) {
  const Box image{{0, 100000}, {0, 100000}};
  EXPECT_LE(Tiles({image}, chosen(image, {})).size(), most_tiles);
}

TEST(TileChoice, TilesAreCutOnlyForWindowsAndOuterTiles) {
  const Box image{{0, 4096}, {0, 4096}};
  EXPECT_TRUE(chosen(image, Placement::tile, {}).inner.empty());
  for (const Placement placement : {Placement::window, Placement::outer_tile}) {
    const Chosen sizes = chosen(image, placement, {});
    ASSERT_EQ(sizes.inner.size(), 2U);
    EXPECT_EQ(sizes.inner[0], sizes.tile[0]);
    EXPECT_GE(sizes.inner[1], 4);
    EXPECT_LE(sizes.inner[1], 16);
  }
}

TEST(TileChoice, WindowsAllowForHigherTiles) {
  const Box image{{0, 4096}, {0, 4096}};
  const TileSize without = chosen(image, {}, 2);
  const TileSize windows = chosen(image, Placement::window, {}, 2).tile;
  EXPECT_EQ(windows[1], 512);
  EXPECT_LT(without[1], windows[1]);
  EXPECT_EQ(chosen(image, Placement::outer_tile, {}, 2).tile, without);
}

TEST(TileChoice, InnerTilesThatTheScheduleAsksForAreTaken) {
  const Box image{{0, 1000}, {0, 500}};
  StageSchedule vertical;
  vertical.inner = {32, 1000};
  vertical.tile = {128, 16};
  for (const Placement placement : {Placement::tile, Placement::window})
    EXPECT_EQ(chosen(image, placement, vertical).inner, (TileSize{32, 16}));
  vertical.inner = {7};
  EXPECT_EQ(chosen(image, Placement::tile, vertical).inner, (TileSize{7, 1}));
}

TEST(TileChoice, ThereAreNoMoreInnerTilesThanAPlanMayHave) {
  const Box image{{0, 4096}, {0, 2000000}};
  StageSchedule vertical;
  vertical.tile = {2, 4000};
  const Chosen sizes = chosen(image, Placement::window, vertical);
  EXPECT_LE(InnerTiles({image}, sizes.tile, sizes.inner).size(), most_tiles);
}

struct CopyOfPlane {
  template <class U, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, Coord x, Coord y, Coord plane) const {
    return u(x, y, plane);
  }
};
struct SevenRowsOfPlane {
  template <class U, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, Coord x, Coord y, Coord plane) const {
    auto sum = u(x, y - 3, plane);
    for (int j = -2; j <= 3; ++j) sum = sum + u(x, y + j, plane);
    return sum;
  }
};

// A tile of long rows and all planes would have five rows, and would compute eleven rows for them.
TEST(TileChoice, TilesOfStagesThatReadManyRowsAreHigh) {
  const Box image{{0, 4000}, {0, 3000}, {0, 3}};
  Pipeline pipeline;
  const auto input = pipeline.input<float, 3>("input", image, Boundary::clamp);
  const auto copy = pipeline.stage<float>("copy", CopyOfPlane(), input);
  pipeline.output(pipeline.stage<float>("sums", SevenRowsOfPlane(), copy), image);
  Schedule schedule;
  schedule.stages["copy"].placement = Placement::tile;
  Target target;
  target.threads = 2;
  target.device = false;
  const ScheduledPipeline scheduled(pipeline, schedule, target, 1);
  const TileSize tile = host_tile(scheduled, {ArrayId{1}, ArrayId{2}}, image);
  ASSERT_EQ(tile.size(), 3U);
  EXPECT_GE(tile[0], 512);
  EXPECT_GE(tile[1], 24);
  EXPECT_LE(tile[0] * tile[1] * tile[2] * 12, 1 << 20);
}

}  // namespace
