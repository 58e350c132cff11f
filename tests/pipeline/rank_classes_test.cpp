// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/explain/explain.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "apps/blur/stages.hpp"
#include "pipeline/plan_sample.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"

namespace {

using namespace tessera;

std::vector<std::int64_t> sizes_of(const RankClasses& ranks) {
  std::vector<std::int64_t> sizes;
  for (const RankClass& some : ranks.classes()) sizes.push_back(some.rank_count);
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

RankClasses classes_of(const Algorithm& pipeline) {
  Schedule schedule;
  schedule.grid.entries = {8, 8};
  if (pipeline.size() > 2) schedule.stages["bh"].placement = Placement::rank;
  RankClasses ranks;
  for (const Plan& plan : make_plans(pipeline, schedule, {}, 64)) ranks.add(plan);
  return ranks;
}

const Box image{{0, 128}, {0, 64}};

TEST(RankClasses, CornersEdgesAndInside) {
  const RankClasses ranks = classes_of(test::blur_pipeline<float>(image, image));
  // Corners, the sides to the left and right, those above and below, and the inside.
  EXPECT_EQ(sizes_of(ranks), (std::vector<std::int64_t>{4, 12, 12, 36}));
  EXPECT_EQ(ranks.classes().front(), (RankClass{4, 0}));
  // Of two classes of 12, the one that came first goes first.
  EXPECT_EQ(ranks.largest(1), (std::vector<RankClass>{{36, 9}}));
  EXPECT_EQ(ranks.largest(2), (std::vector<RankClass>{{12, 1}, {36, 9}}));
  EXPECT_EQ(ranks.largest(3), (std::vector<RankClass>{{12, 1}, {12, 8}, {36, 9}}));
  for (std::size_t count : {4, 5}) EXPECT_EQ(ranks.largest(count), ranks.classes());
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
      all.add(plan);
      RankClasses pair;
      for (const RankClass& some : all.classes()) {
        const Plan& first = plans[static_cast<std::size_t>(some.first_rank)];
        RankClasses two;
        two.add(first);
        two.add(plan);
        if (two.classes().size() == 1) {
          EXPECT_EQ(first.peak_bytes(), plan.peak_bytes());
          pair.add(first);
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
