// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/planner/detail/placements.hpp"

#include <gtest/gtest.h>

#include "pipeline/planner/samples.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/view/reductions.hpp"

namespace {

using namespace tessera;

/// The sum of the square of points around a point, up to `reach` points away.
template <int reach>
struct SumAround {
  template <class U, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, Coord x, Coord y) const {
    auto sum = u(x, y);
    for (int j = -reach; j <= reach; ++j)
      for (int i = -reach; i <= reach; ++i) sum = sum + u(x + i, y + j);
    return sum;
  }
};
struct Twice {
  template <class U, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, Coord x, Coord y) const {
    return 2 * u(x, y);
  }
};
struct Both {
  template <class U, class V, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, const V& v, Coord x, Coord y) const {
    return u(x, y) + v(x, y);
  }
};
/// Reads a point that depends on data, so that every tile may read all points along y.
struct AtSomeRow {
  template <class U, class V, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, const V& row, Coord x, Coord y) const {
    return u(x, clamp(row(x, y), 0, 2999));
  }
};

const Box image{{0, 4096}, {0, 3000}};

Target target_of(int threads = 2) {
  Target target;
  target.threads = threads;
  target.device = false;
  return target;
}

/// The schedule in which the planner places every stage.
Schedule all_automatic(const Pipeline& pipeline) {
  Schedule schedule;
  for (const ArrayDeclaration& array : pipeline.arrays())
    if (!array.is_input() && !array.is_further_output())
      schedule.stages[array.name].placement = Placement::automatic;
  return schedule;
}

Placement placement_of(const ScheduledPipeline& scheduled, const char* name) {
  return scheduled[scheduled.pipeline().find(name)].placement;
}

TEST(AutomaticPlacements, ACheapStageIsComputedInTiles) {
  const Pipeline pipeline = test::two_sums(image);
  const ScheduledPipeline scheduled(pipeline, all_automatic(pipeline), target_of(), 1);
  EXPECT_EQ(placement_of(scheduled, "horizontal"), Placement::tile);
  EXPECT_EQ(placement_of(scheduled, "vertical"), Placement::distributed);
}

TEST(AutomaticPlacements, ALongChainOfCostlyStagesIsComputedInWindows) {
  Pipeline pipeline;
  auto last = pipeline.input<float, 2>("input", image, Boundary::clamp);
  for (const char* name : {"a", "b", "c", "d"}) last = pipeline.stage<float>(name, SumAround<2>(), last);
  pipeline.output(pipeline.stage<float>("result", SumAround<2>(), last), image);
  const ScheduledPipeline scheduled(pipeline, all_automatic(pipeline), target_of(), 1);
  for (const char* name : {"a", "b", "c", "d"})
    EXPECT_EQ(placement_of(scheduled, name), Placement::window) << name;
}

TEST(AutomaticPlacements, AStageThatIsReadPointByPointNeedsNoWindow) {
  Pipeline pipeline;
  const auto input = pipeline.input<float, 2>("input", image, Boundary::clamp);
  const auto around = pipeline.stage<float>("around", SumAround<2>(), input);
  const auto twice = pipeline.stage<float>("twice", Twice(), around);
  pipeline.output(pipeline.stage<float>("result", SumAround<3>(), twice), image);
  const ScheduledPipeline scheduled(pipeline, all_automatic(pipeline), target_of(), 1);
  EXPECT_EQ(placement_of(scheduled, "around"), Placement::tile);
  EXPECT_EQ(placement_of(scheduled, "twice"), Placement::window);
}

TEST(AutomaticPlacements, ACostlyStageThatTwoOutputsReadIsStoredAndACheapOneIsNot) {
  Pipeline pipeline;
  const auto input = pipeline.input<float, 2>("input", image, Boundary::clamp);
  const auto costly = pipeline.stage<float>("costly", SumAround<4>(), input);
  const auto cheap = pipeline.stage<float>("cheap", Twice(), input);
  pipeline.output(pipeline.stage<float>("first", Both(), costly, cheap), image);
  pipeline.output(pipeline.stage<float>("second", Both(), cheap, costly), image);
  const ScheduledPipeline scheduled(pipeline, all_automatic(pipeline), target_of(), 1);
  EXPECT_EQ(placement_of(scheduled, "costly"), Placement::distributed);
  EXPECT_EQ(placement_of(scheduled, "cheap"), Placement::tile);
}

TEST(AutomaticPlacements, AStageOfWhichEveryTileReadsAllRowsIsStored) {
  Pipeline pipeline;
  const auto input = pipeline.input<float, 2>("input", image, Boundary::clamp);
  const auto rows = pipeline.input<std::int32_t, 2>("rows", image, Boundary::clamp);
  const auto sums = pipeline.stage<float>("sums", SumAround<1>(), input);
  pipeline.output(pipeline.stage<float>("result", AtSomeRow(), sums, rows), image);
  const ScheduledPipeline scheduled(pipeline, all_automatic(pipeline), target_of(), 1);
  EXPECT_EQ(placement_of(scheduled, "sums"), Placement::distributed);
}

// There are some 10^8 ways through these stages from the first to the last one.
TEST(AutomaticPlacements, ManyWaysThroughAPipelineAreNotAllFollowed) {
  Pipeline pipeline;
  auto before = pipeline.input<float, 2>("input", image, Boundary::clamp);
  Array<float, 2> last = pipeline.stage<float>("0", Twice(), before);
  for (int i = 1; i < 40; ++i) {
    const Array<float, 2> next = pipeline.stage<float>(std::to_string(i), Both(), before, last);
    before = last;
    last = next;
  }
  pipeline.output(last, image);
  const ScheduledPipeline scheduled(pipeline, all_automatic(pipeline), target_of(), 1);
  EXPECT_EQ(placement_of(scheduled, "38"), Placement::tile);
}

TEST(AutomaticPlacements, OtherPlacementsOfTheScheduleStay) {
  const Pipeline pipeline = test::two_sums(image);
  Schedule schedule = all_automatic(pipeline);
  for (const Placement asked : {Placement::rank, Placement::replicated, Placement::tile, Placement::window}) {
    schedule.stages["horizontal"].placement = asked;
    EXPECT_EQ(placement_of(ScheduledPipeline(pipeline, schedule, target_of(), 1), "horizontal"), asked);
  }
}

TEST(AutomaticPlacements, StagesThatCanOnlyBeStoredAreDistributedWithoutAnError) {
  Pipeline pipeline;
  const auto input = pipeline.input<float, 2>("input", image, Boundary::clamp);
  const auto twice = pipeline.stage<float>("twice", Twice(), input);
  const auto largest = pipeline.reduce("largest", Maximum<float>(), twice, image);
  pipeline.output(largest);
  const ScheduledPipeline scheduled(pipeline, all_automatic(pipeline), target_of(), 1);
  EXPECT_EQ(placement_of(scheduled, "twice"), Placement::distributed);
}

TEST(AutomaticPlacements, DevicesWithoutGroupsStoreAllStages) {
  const Pipeline pipeline = test::two_sums(image);
  Target target = target_of();
  target.device = true;
  const ScheduledPipeline scheduled(pipeline, all_automatic(pipeline), target, 1);
  EXPECT_EQ(placement_of(scheduled, "horizontal"), Placement::distributed);
}

TEST(AutomaticPlacements, AllRanksChooseTheSame) {
  const Pipeline pipeline = test::two_sums({{0, 50}, {0, 7}});
  const std::vector<Plan> plans = make_plans(pipeline, all_automatic(pipeline), target_of(1), 11);
  for (const Plan& plan : plans)
    for (const ArrayId id : plan.stages.ids()) {
      EXPECT_NE(plan.stages[id].placement, Placement::automatic);
      EXPECT_EQ(plan.stages[id].placement, plans.front().stages[id].placement);
    }
}

}  // namespace
