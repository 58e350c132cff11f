// SPDX-License-Identifier: BSD-3-Clause
// Estimates of computing and of files, against sums made by hand.
#include "tessera/cost/estimate.hpp"

#include "cost/estimate_sample.hpp"
#include "tessera/pipeline/planner/bands.hpp"
#include "tessera/pipeline/planner/scheduled_pipeline.hpp"

namespace tessera::test {
namespace {

using cost::Bound;

cost::StepEstimate of_out(const Algorithm& pipeline, const cost::MachineDescription& machine, int threads = 1,
                          const cost::StageCosts& costs = {}) {
  const Plan plan = plan_of(pipeline, threads);
  return step_of(pipeline, plan, estimate(pipeline, plan, machine, costs), "compute out");
}

TEST(EstimateTest, MemoryMovesEachPointOnceInAndOnceOut) {
  const Pipeline pipeline = one_stage(Twice());
  const cost::StepEstimate step = of_out(pipeline, memory_only());
  EXPECT_DOUBLE_EQ(step.seconds, 2 * 4 * points / 1e9);
  EXPECT_EQ(step.bound, Bound::memory);
  EXPECT_EQ(step.times, 1);
  EXPECT_TRUE(step.assumes_costs);
  // Three threads could move more than the memory of the node can.
  EXPECT_DOUBLE_EQ(of_out(pipeline, memory_only(), 2).seconds, 2 * 4 * points / 2e9);
  EXPECT_DOUBLE_EQ(of_out(pipeline, memory_only(), 3).seconds, 2 * 4 * points / 2e9);
}

// A body that reads three points and writes one moves 16 bytes near the thread for each point.
TEST(EstimateTest, NearCachesStandForUnknownArithmetic) {
  const Pipeline pipeline = one_stage(Column(), Boundary::clamp);
  cost::MachineDescription machine = memory_only();
  machine.near_cache_thread = 1e9;
  const cost::StepEstimate step = of_out(pipeline, machine);
  EXPECT_DOUBLE_EQ(step.seconds, 16 * points / 1e9);
  EXPECT_EQ(step.bound, Bound::near_cache);
}

TEST(EstimateTest, KnownCostsAreSharedByThreads) {
  const Pipeline pipeline = one_stage(Twice());
  cost::StageCosts costs;
  costs["out"] = 1e-6;
  const cost::StepEstimate step = of_out(pipeline, memory_only(), 1, costs);
  EXPECT_DOUBLE_EQ(step.seconds, points * 1e-6);
  EXPECT_EQ(step.bound, Bound::arithmetic);
  EXPECT_FALSE(step.assumes_costs);
  EXPECT_DOUBLE_EQ(of_out(pipeline, memory_only(), 2, costs).seconds, points * 1e-6 / 2);
  // Less than memory takes.
  costs["out"] = 1e-12;
  EXPECT_EQ(of_out(pipeline, memory_only(), 1, costs).bound, Bound::memory);
}

/// A kernel that declares its operations.
class DeclaresOperations final : public StageKernel {
 public:
  void required(const Box& box, Box* needs) const override { *needs = box; }
  void region(const ArrayReference*, const ArrayReference*, const Box&, AccessMonitor) const override {}
  void launch(const ExecutionSpace&, const ArrayReference*, const ArrayReference*,
              const Box&) const override {}
  double operations_per_point() const override { return 100; }
};

TEST(EstimateTest, OperationsTakeTheSpeedOfArithmetic) {
  Pipeline pipeline;
  const Array<float, 2> in = pipeline.input<float, 2>("in", image);
  pipeline.output(pipeline.stage_of_kernel("out", ElementType::float32, 2, {in.id},
                                           std::make_shared<DeclaresOperations>()),
                  image);
  cost::MachineDescription machine = memory_only();
  machine.arithmetic = {1e9, 3e9};
  const cost::StepEstimate step = of_out(pipeline, machine);
  EXPECT_DOUBLE_EQ(step.seconds, 100 * points / 1e9);
  EXPECT_EQ(step.bound, Bound::arithmetic);
  EXPECT_FALSE(step.assumes_costs);
}

// If two threads compute three tiles of the same size, one thread computes two.
TEST(EstimateTest, TheSlowestThreadHasTheTilesThatAreLeft) {
  Pipeline pipeline;
  const Box rows{{0, 64}, {0, 96}};
  pipeline.output(pipeline.stage<float>("out", Twice(), pipeline.input<float, 2>("in", rows)), rows);
  Schedule schedule;
  schedule.stages["out"].tile = {64, 32};
  Target target;
  target.threads = 2;
  target.device = false;
  const Plan plan = make_plan(pipeline, schedule, target, 1, 0);
  cost::StageCosts costs;
  costs["out"] = 1e-6;
  const cost::RankEstimate rank = estimate(pipeline, plan, memory_only(), costs);
  EXPECT_DOUBLE_EQ(step_of(pipeline, plan, rank, "compute out").seconds, 2 * 64 * 32 * 1e-6);
}

TEST(EstimateTest, StagesInTilesCountWhatTheyCompute) {
  Pipeline pipeline;
  const auto middle = pipeline.stage<float>("middle", Twice(), pipeline.input<float, 2>("in", image));
  pipeline.output(pipeline.stage<float>("out", Twice(), middle), image);
  Schedule schedule;
  schedule.stages["middle"].placement = Placement::tile;
  Target target;
  target.device = false;
  const Plan plan = make_plan(pipeline, schedule, target, 1, 0);
  cost::StageCosts costs;
  costs["out"] = 1e-6;
  const auto seconds = [&] {
    return step_of(pipeline, plan, estimate(pipeline, plan, memory_only(), costs), "compute out").seconds;
  };
  // The cost of the step holds for the points of both stages, until `middle` has one of its own.
  EXPECT_DOUBLE_EQ(seconds(), 2 * points * 1e-6);
  costs["middle"] = 3e-6;
  EXPECT_DOUBLE_EQ(seconds(), points * 4e-6);
}

TEST(EstimateTest, LaunchesAreAdded) {
  const Pipeline pipeline = one_stage(Twice());
  cost::MachineDescription machine = memory_only();
  machine.launch_thread_seconds = 1e-3;
  const cost::StepEstimate step = of_out(pipeline, machine);
  EXPECT_DOUBLE_EQ(step.seconds, 2 * 4 * points / 1e9 + 1e-3);
  EXPECT_EQ(step.bound, Bound::launch);
}

// Above and below there are rows of 64 floats, which are whole lines of the cache.
TEST(EstimateTest, BordersTakeWholeLinesOfTheCache) {
  const Pipeline rows = one_stage(Column(), Boundary::clamp);
  const Plan plan = plan_of(rows);
  const cost::RankEstimate rank = estimate(rows, plan, memory_only());
  EXPECT_DOUBLE_EQ(step_of(rows, plan, rank, "boundary in").seconds, 2 * 2 * 64 * 4 / 1e9);
  EXPECT_DOUBLE_EQ(rank.seconds, 2 * 2 * 64 * 4 / 1e9 + step_of(rows, plan, rank, "compute out").seconds);
}

TEST(EstimateTest, FilesCountIfTheirSpeedIsKnown) {
  const Pipeline pipeline = one_stage(Twice());
  const Plan plan = plan_of(pipeline, 1, 2, 1);
  cost::MachineDescription machine = memory_only();
  cost::RankEstimate rank = estimate(pipeline, plan, machine);
  EXPECT_EQ(step_of(pipeline, plan, rank, "read in").bound, Bound::unknown);
  EXPECT_EQ(step_of(pipeline, plan, rank, "read in").seconds, 0);
  machine.file_read = 1e6;
  machine.file_write = 2e6;
  rank = estimate(pipeline, plan, machine);
  // All ranks share the speed, and together they move the whole image.
  EXPECT_DOUBLE_EQ(step_of(pipeline, plan, rank, "read in").seconds, 4 * points / 1e6);
  EXPECT_DOUBLE_EQ(step_of(pipeline, plan, rank, "write out").seconds, 4 * points / 2e6);
  EXPECT_EQ(step_of(pipeline, plan, rank, "write out").bound, Bound::files);
}

TEST(EstimateTest, BandsCountAsOftenAsThereAreBands) {
  const Pipeline pipeline = one_stage(Twice());
  const Banding bands = bands_asked_for(pipeline, 4);
  Target target;
  target.device = false;
  const Plan plan = plan_with_bands(pipeline, bands, [&](const Band& band) {
    return make_plan(ScheduledPipeline(pipeline, {}, target, 1, Window(pipeline, band)), 0);
  });
  const cost::StepEstimate step =
      step_of(pipeline, plan, estimate(pipeline, plan, memory_only()), "compute out");
  EXPECT_EQ(step.times, 4);
  EXPECT_DOUBLE_EQ(step.seconds, 2 * 4 * points / 1e9);
}

TEST(PlanEstimatesTest, KnowTheSlowestAndTheFastestRank) {
  cost::PlanEstimates all;
  all.add({0, {{7, 1, 1.0, {}, {}}, {8, 1, 5.0, {}, {}}}, 6});
  all.add({1, {{7, 1, 4.0, {}, {}}, {8, 1, 3.0, {}, {}}}, 7});
  all.add({2, {{7, 1, 4.0, {}, {}}, {8, 1, 3.0, {}, {}}}, 7});
  all.add({3, {{7, 1, 2.0, {}, {}}, {8, 1, 4.0, {}, {}}}, 6});
  EXPECT_EQ(all.slowest().rank, 1);
  EXPECT_EQ(all.fastest().rank, 0);
  EXPECT_DOUBLE_EQ(all.seconds_if_all_wait(), 9);
}

}  // namespace
}  // namespace tessera::test
