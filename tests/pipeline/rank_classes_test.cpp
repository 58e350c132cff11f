// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/rank_classes.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "apps/blur/stages.hpp"
#include "pipeline/random_plans.hpp"

namespace {

using namespace tessera;

std::vector<std::int64_t> sizes_of(const RankClasses& ranks) {
  std::vector<std::int64_t> sizes;
  for (const RankClass& some : ranks.classes()) sizes.push_back(some.rank_count);
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

RankClasses classes_of(const Pipeline& pipeline) {
  Schedule schedule;
  schedule.grid.entries = {8, 8};
  if (pipeline.size() > 2) schedule.stages["bh"].placement = Placement::rank;
  RankClasses ranks;
  for (Plan& plan : test::make_plans(pipeline, schedule, {}, 64)) ranks.add(std::move(plan));
  return ranks;
}

const Box image{{0, 128}, {0, 64}};

TEST(RankClasses, CornersEdgesAndInside) {
  const RankClasses ranks = classes_of(blur::make_pipeline<float, 2>(image, image, Boundary::clamp));
  // Corners, the sides to the left and right, those above and below, and the inside.
  EXPECT_EQ(sizes_of(ranks), (std::vector<std::int64_t>{4, 12, 12, 36}));
  EXPECT_EQ(ranks.classes().front().plan.rank, 0);
  EXPECT_EQ(ranks.classes().front().rank_count, 4);
}

TEST(RankClasses, OnATorusAllRanksAreAlike) {
  Pipeline pipeline;
  const auto input = pipeline.input<float, 2>("input", image, Boundary::periodic);
  pipeline.output(pipeline.stage<float>("bh", blur::BlurX<>{}, input));
  EXPECT_EQ(sizes_of(classes_of(pipeline)), std::vector<std::int64_t>{64});
}

// Every rank is in one class, with ranks that have as much to do.
TEST(RankClasses, RanksOfAClassCostTheSame) {
  test::Random random(511);
  for (int i = 0; i < 30; ++i) {
    const test::Graph graph = test::random_graph(random, true);
    const std::vector<Plan> plans = test::random_plans(random, graph, 20);
    RankClasses all;
    for (const Plan& plan : plans) {
      const auto before = sizes_of(all);
      all.add(plan);
      RankClasses pair;
      for (const RankClass& some : all.classes()) {
        RankClasses two;
        two.add(some.plan);
        two.add(plan);
        if (two.classes().size() == 1) {
          EXPECT_EQ(some.plan.peak_bytes(), plan.peak_bytes());
          pair.add(some.plan);
        }
      }
      EXPECT_EQ(pair.classes().size(), 1U);
    }
    std::int64_t ranks = 0;
    for (std::int64_t size : sizes_of(all)) ranks += size;
    EXPECT_EQ(ranks, static_cast<std::int64_t>(plans.size()));
  }
}

}  // namespace
