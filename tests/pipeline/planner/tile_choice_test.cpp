// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/planner/detail/tile_choice.hpp"

#include <gtest/gtest.h>

#include "pipeline/planner/samples.hpp"
#include "tessera/pipeline/planner/tiling.hpp"

namespace {

using namespace tessera;

TileSize chosen(const Box& image, const TileSize& asked, int threads = 1) {
  const Pipeline pipeline = test::two_sums(image);
  Schedule schedule;
  schedule.stages["horizontal"].placement = Placement::tile;
  schedule.stages["vertical"].tile = asked;
  Target target;
  target.threads = threads;
  target.device = false;
  const ScheduledPipeline scheduled(pipeline, schedule, target, 1);
  return host_tile(scheduled, 2, fused_members(scheduled, 2), image);
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

}  // namespace
