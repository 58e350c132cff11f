// SPDX-License-Identifier: BSD-3-Clause
// These tests look at the plans of loops whose rounds overlap their tests.
#include <gtest/gtest.h>

#include "domain/random.hpp"
#include "pipeline/rounds_sample.hpp"
#include "tessera/pipeline/explain/explain.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"

namespace tessera::test::rounds {
namespace {

TEST(Rounds, TestsOverlapWhereNothingNeedsThem) {
  const Rounds rounds = with_rounds(relaxing(9), {.overlaps_test = true});
  EXPECT_EQ(rounds.pipeline.loops().size(), 1u);
  EXPECT_TRUE(rounds.pipeline.loops().front().overlaps_test);
  EXPECT_FALSE(with_rounds(relaxing(9), {}).pipeline.loops().front().overlaps_test);
  const Plan waits = make_plan(relaxing(9), {}, {}, 2, 0);
  const Plan overlaps = make_plan(rounds.pipeline, rounds.schedule, {}, 2, 0);
  // A value more of the norm, in 64 bytes.
  EXPECT_EQ(overlaps.partial_bytes, waits.partial_bytes + 64);
}

TEST(Rounds, OverlappedRoundsKeepWhatTheyBeganWithInMemoryThatIsThere) {
  const LoopSchedule four{.turns_per_test = 4};
  LoopSchedule overlapped_four = four;
  overlapped_four.overlaps_test = true;
  const Rounds waiting = with_rounds(relaxing(100), four);
  const Rounds rounds = with_rounds(relaxing(100), overlapped_four);
  const Algorithm& pipeline = rounds.pipeline;
  ASSERT_EQ(pipeline.loops().size(), 2u);
  EXPECT_TRUE(pipeline.loops().front().overlaps_test && pipeline.loops().back().overlaps_test);
  EXPECT_EQ(pipeline.size(), waiting.pipeline.size());
  const Plan plan = make_plan(pipeline, rounds.schedule, {}, 2, 0);
  const Plan plan_that_waits = make_plan(waiting.pipeline, waiting.schedule, {}, 2, 0);
  EXPECT_EQ(plan.array_bytes, plan_that_waits.array_bytes);
  EXPECT_EQ(plan.message_bytes, plan_that_waits.message_bytes);
  // A value more of each of the four norms of a round, and of that of the loop.
  EXPECT_EQ(plan.partial_bytes, plan_that_waits.partial_bytes + 5 * 64);
  const ArrayId u = pipeline.find("u"), next = pipeline.find("next"), last = pipeline.find("next@4");
  const auto steps = steps_of(pipeline, plan, "relax@rounds");
  ASSERT_EQ(count<plan::Swap>(steps), 2);
  const auto& keeps = std::get<plan::Swap>(steps[steps.size() - 2]->step);
  const auto& feeds = std::get<plan::Swap>(steps.back()->step);
  EXPECT_EQ((std::pair{keeps.first, keeps.second}), (std::pair{next, u}));
  EXPECT_EQ((std::pair{feeds.first, feeds.second}), (std::pair{u, last}));
  EXPECT_NE(
      explain(pipeline, plan)
          .find(
              "relax@rounds: repeat 4 turns at most 24 times; one after which relax@end is not zero is taken "
              "back; tested while the next turns are computed"),
      std::string::npos);
}

/// The wave equation with a residual: `past` is the iterate before `u`.
Pipeline waving() {
  Pipeline p;
  const auto u = p.input<float, 2>("u", image, Boundary::periodic);
  const auto past = p.input<float, 2>("past", image, Boundary::periodic);
  p.repeat("wave", 50, [&](const Pipeline::Loop& loop) {
    const auto next = p.stage<float>("next", Wave(), u, past);
    loop.watch(p.reduce("norm", MaximumNorm<float>(), next, image));
    loop.feed(next, u);
    loop.feed(u, past);
  });
  p.output(u);
  return p;
}

TEST(Rounds, AnIterateThatIsFedOnTakesASpareArray) {
  const Rounds rounds = with_rounds(waving(), {.turns_per_exchange = 2, .overlaps_test = true}, "wave");
  const Rounds waiting = with_rounds(waving(), {.turns_per_exchange = 2}, "wave");
  const Algorithm& pipeline = rounds.pipeline;
  const ArrayId spare = pipeline.find("u@wave@kept");
  EXPECT_TRUE(pipeline[spare].is_spare());
  EXPECT_FALSE(pipeline[spare].is_input());
  EXPECT_EQ(pipeline.size(), waiting.pipeline.size() + 1);
  const std::vector<Plan> plans = make_plans(pipeline, rounds.schedule, {}, 3);
  const Plan plan_that_waits = make_plan(waiting.pipeline, waiting.schedule, {}, 3, 0);
  const ArrayRegions& regions = plans.front().stages[spare];
  const Buffer& buffer = plans.front().buffers[regions.written_buffer];
  EXPECT_EQ(plans.front().array_bytes, plan_that_waits.array_bytes + aligned_bytes(buffer.bytes));
  // Iterates lie in any of 6 buffers instead of 5. The rounds exchange two of them, in 30 arrangements
  // instead of 20, and the loop itself exchanges one, in 6 arrangements instead of 5.
  EXPECT_EQ(plans.front().message_bytes * (20 * 2 + 5), plan_that_waits.message_bytes * (30 * 2 + 6));
  // There is one value more of each of the two norms of a round, and of that of the loop.
  EXPECT_EQ(plans.front().partial_bytes, plan_that_waits.partial_bytes + 3 * 64);
}

TEST(Rounds, SpareArraysAreShownWithoutAPlacement) {
  const Rounds rounds = with_rounds(waving(), {.turns_per_exchange = 2, .overlaps_test = true}, "wave");
  const std::vector<Plan> plans = make_plans(rounds.pipeline, rounds.schedule, {}, 3);
  PlanTotals totals;
  for (const Plan& plan : plans) totals.add(rounds.pipeline, plan);
  const std::string all = explain(rounds.pipeline, plans.front());
  const std::size_t begin = all.find("  spare array 'u@wave@kept': float32\n");
  ASSERT_NE(begin, std::string::npos);
  const std::string spare = all.substr(begin, all.find("\n  stage", begin) - begin);
  EXPECT_NE(spare.find("    buffer "), std::string::npos);
  EXPECT_EQ(spare.find("computed"), std::string::npos) << spare;
  EXPECT_EQ(summary(rounds.pipeline, plans.front(), totals).find("kept"), std::string::npos);
  const std::string dot = to_dot(rounds.pipeline, plans.front(), totals);
  EXPECT_NE(dot.find("\"u@wave@kept\" [label=\"u@wave@kept\\nfloat32 on [1, 3]\", shape=folder, "
                     "fillcolor=\"#ffffff\"];\n"),
            std::string::npos)
      << dot;
}

}  // namespace
}  // namespace tessera::test::rounds
