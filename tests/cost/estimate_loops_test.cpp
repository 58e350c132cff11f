// SPDX-License-Identifier: BSD-3-Clause
// Estimates of loops.
#include "cost/estimate_sample.hpp"
#include "pipeline/rounds_sample.hpp"

namespace tessera::test {
namespace {

using cost::Bound;

cost::StepEstimate of_next(const Rounds& rounds, const cost::MachineDescription& machine, const char* label) {
  Target target;
  target.device = false;
  const Plan plan = make_plan(rounds.pipeline, rounds.schedule, target, 1, 0);
  return step_of(rounds.pipeline, plan, estimate(rounds.pipeline, plan, machine), label);
}

TEST(EstimateLoopsTest, StepsCountForEveryTurn) {
  const Rounds once = rounds::with_rounds(rounds::relaxing(1), {}),
               often = rounds::with_rounds(rounds::relaxing(100), {});
  const cost::StepEstimate one = of_next(once, memory_only(), "compute next"),
                           all = of_next(often, memory_only(), "compute next");
  EXPECT_EQ(one.times, 1);
  EXPECT_EQ(all.times, 100);
  EXPECT_DOUBLE_EQ(all.seconds, 100 * one.seconds);
  EXPECT_EQ(all.bound, Bound::memory);
}

// In a loop, arrays that fit stay in the last-level cache, which is four times as fast here.
TEST(EstimateLoopsTest, ArraysOfALoopMayStayInTheCache) {
  const Rounds loop = rounds::with_rounds(rounds::relaxing(100), {});
  cost::MachineDescription machine = memory_only();
  machine.last_cache_bytes = 1 << 20;
  const cost::StepEstimate in_cache = of_next(loop, machine, "compute next");
  EXPECT_EQ(in_cache.bound, Bound::last_cache);
  EXPECT_DOUBLE_EQ(4 * in_cache.seconds, of_next(loop, memory_only(), "compute next").seconds);
  // Outside of loops, everything comes from memory.
  const Pipeline pipeline = one_stage(Twice());
  const Plan plan = plan_of(pipeline);
  EXPECT_EQ(step_of(pipeline, plan, estimate(pipeline, plan, machine), "compute out").bound, Bound::memory);
}

// A loop of 103 turns in rounds of 4 makes 100 turns in 25 rounds, and 3 by themselves.
TEST(EstimateLoopsTest, RoundsAndSingleTurnsMakeAllTurns) {
  const Rounds loop = rounds::with_rounds(rounds::relaxing(103), {.turns_per_exchange = 4});
  Target target;
  target.device = false;
  const Plan plan = make_plan(loop.pipeline, loop.schedule, target, 1, 0);
  const cost::RankEstimate rank = estimate(loop.pipeline, plan, memory_only());
  double turns = 0;
  walk(plan.root, [&](const PlanNode& node) {
    const auto* compute = std::get_if<plan::Compute>(&node.step);
    if (compute == nullptr || !loop.pipeline[compute->stage].name.starts_with("next")) return;
    for (const cost::StepEstimate& step : rank.steps)
      if (step.node == node.id) turns += step.times;
  });
  EXPECT_EQ(turns, 103);
}

}  // namespace
}  // namespace tessera::test
