// SPDX-License-Identifier: BSD-3-Clause
// These tests look at the plans of loops that run in rounds, and at rounds that are refused. Other tests run
// all loops in rounds and show that no bit changes.
#include <gtest/gtest.h>

#include "domain/random.hpp"
#include "messages.hpp"
#include "pipeline/rounds_sample.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"

namespace tessera::test::rounds {
namespace {

using test::expect_message;

TEST(Rounds, RemarksAreKept) {
  Pipeline p = relaxing(9);
  p.remark("relaxed by sums");
  p.remark("in float");
  Schedule schedule;
  for (const int turns : {1, 4}) {
    schedule.loops["relax"].turns_per_exchange = turns;
    EXPECT_EQ(in_rounds(p, schedule).pipeline.remarks(),
              (std::vector<std::string>{"relaxed by sums", "in float"}));
  }
}

TEST(Rounds, DeepGhostsAreExchangedOnce) {
  const Rounds rounds = with_rounds(relaxing(100), {4, 1, 1});
  const Plan plan = make_plan(rounds.pipeline, rounds.schedule, {}, 4, 1);
  const auto steps = steps_of(rounds.pipeline, plan, "relax@rounds");
  EXPECT_EQ(count<plan::Exchange>(steps), 1);
  EXPECT_EQ(count<plan::Compute>(steps), 5) << "four turns, and whether the loop should have ended";
  // Of 6 rows the ranks own, those of turn j, counted from 1, are 4 - j more on each side.
  for (int turn = 1; turn <= 4; ++turn) {
    const ArrayId next = rounds.pipeline.find("next@" + std::to_string(turn));
    const ArrayRegions& stage = plan.stages[next];
    EXPECT_EQ(stage.computed, (Box{{0, 32}, {6 - (4 - turn), 12 + (4 - turn)}}));
    EXPECT_EQ(stage.redundant_points, 2 * 32 * (4 - turn));
  }
  // The ranks tell each other of residuals when all points are computed.
  const auto last = std::ranges::find_if(
      steps, [](const PlanNode* node) { return std::holds_alternative<plan::Reduce>(node->step); });
  for (auto step = last; step != last + 4; ++step)
    EXPECT_TRUE(std::holds_alternative<plan::Reduce>((*step)->step));
}

TEST(Rounds, DeepGhostsBeyondPeriodicSidesAreComputedByEachRank) {
  const Rounds rounds = with_rounds(relaxing(100, Boundary::periodic), {4, 1, 1});
  const Plan plan = make_plan(rounds.pipeline, rounds.schedule, {}, 4, 0);
  const auto steps = steps_of(rounds.pipeline, plan, "relax@rounds");
  EXPECT_EQ(count<plan::Exchange>(steps), 1);
  // The first rank owns the rows 0 to 5. The ghosts are beyond the upper side, and beyond the left and right.
  for (int turn = 1; turn <= 3; ++turn) {
    const ArrayId next = rounds.pipeline.find("next@" + std::to_string(turn));
    const int ghosts = 4 - turn;
    EXPECT_EQ(plan.stages[next].computed, (Box{{-ghosts, 32 + ghosts}, {-ghosts, 6 + ghosts}}));
  }
}

TEST(Rounds, TurnsInTilesTakeNoMemory) {
  const Pipeline pipeline = relaxing(100);
  const Rounds rounds = with_rounds(pipeline, {1, 3, 1});
  Target target;
  target.device = false;
  const Plan plan = make_plan(rounds.pipeline, rounds.schedule, target, 1, 0);
  const auto steps = steps_of(rounds.pipeline, plan, "relax@rounds");
  EXPECT_EQ(count<plan::Compute>(steps), 2);
  const auto& step = std::get<plan::Compute>(steps.at(1)->step);
  EXPECT_EQ(step.members.size(), 3U);
  EXPECT_EQ(step.contributions.size(), 3U);
  for (const char* name : {"next@1", "next@2"})
    EXPECT_EQ(plan.stages[rounds.pipeline.find(name)].written_buffer, no_buffer) << name;
}

TEST(Rounds, TheLastTurnIsAlwaysOneOfTheLoopItself) {
  for (const std::int64_t maximum : {1, 4, 5, 9}) {
    const Rounds rounds = with_rounds(relaxing(maximum), {4, 1, 1});
    ASSERT_EQ(rounds.pipeline.loops().size(), maximum < 5 ? 1U : 2U);
    EXPECT_EQ(rounds.pipeline.loops().back().name, "relax");
    EXPECT_EQ(rounds.pipeline.loops().back().maximum, maximum);
    if (maximum < 5) continue;
    EXPECT_EQ(rounds.pipeline.loops().front().maximum, (maximum - 1) / 4 * 4);
  }
}

std::string schedule_error(const Algorithm& pipeline, const LoopSchedule& asked, const char* loop = "relax") {
  try {
    with_rounds(pipeline, asked, loop);
  } catch (const ScheduleError& error) {
    return error.key + ": " + error.what();
  }
  return "no error";
}

/// Twice the point, less the norm of the turn.
struct LessNorm {
  template <class U, class Norm, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, const Norm& norm, Coord x, Coord y) const {
    return 2 * u(x, y) - norm(0);
  }
};
struct Shown {
  template <class U, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, Coord x, Coord y) const {
    return u(x, y);
  }
};
struct Same {
  template <class V, class Coord>
  KOKKOS_FUNCTION auto operator()(const V& v, Coord) const {
    return v(0);
  }
};

TEST(Rounds, TestsThatCannotOverlap) {
  const auto error = [](const Algorithm& pipeline, const LoopSchedule& asked) {
    return test::message_of<ScheduleError>([&] { with_rounds(pipeline, asked); });
  };
  const LoopSchedule overlapped{.overlaps_test = true};
  const auto with_loop = [](const auto& declare) {
    Pipeline p;
    const auto u = p.input<float, 2>("u", image, Boundary::clamp);
    const auto state = p.value<float>("state", Same(), p.reduce("first", MaximumNorm<float>(), u, image));
    p.repeat("relax", 9, [&](const Pipeline::Loop& loop) {
      const auto [next, change] = p.stages<TypeList<float, float>>({"next", "change"}, Relax(), u);
      const auto norm = p.reduce("norm", MaximumNorm<float>(), change, image);
      loop.watch(norm);
      declare(p, loop, u, next, norm, state);
    });
    p.output(u);
    p.output(state);
    return p;
  };
  expect_message(error(with_loop([](Pipeline& p, const auto& loop, auto u, auto next, auto norm, auto) {
                         loop.feed(p.stage<float>("damped", LessNorm(), next, norm), u);
                       }),
                       overlapped),
                 {"'damped'", "reads 'norm'", "only 'waits'"});
  expect_message(error(with_loop([](Pipeline& p, const auto& loop, auto u, auto next, auto norm, auto state) {
                         loop.feed(Array<float, 2>(next), u);
                         loop.feed(p.value<float>("now", Same(), norm), state);
                       }),
                       overlapped),
                 {"'now'", "next turn", "only 'waits'"});
  expect_message(
      error(with_loop([](Pipeline& p, const auto& loop, auto u, auto next, auto, auto) {
              loop.feed(Array<float, 2>(next), u);
              p.output(p.value<float>(
                  "sum", Same(), p.value<float>("one", Same(), p.reduce("all", Sum<float>(), u, image))));
              p.output(p.stage<float>("shown", Shown(), next), image);
            }),
            overlapped),
      {"'shown'", "turn more", "only 'waits'"});
}

TEST(Rounds, ThatCannotBe) {
  expect_message(schedule_error(relaxing(9), {2, 1, 1}, "relaxe"), {"loops.relaxe", "no loop", "'relaxe'"});
  expect_message(schedule_error(relaxing(9), {0, 1, 1}), {"loops.relax.turns_per_exchange", "0 turns"});
  expect_message(schedule_error(relaxing(9), {1, 33, 1}), {"loops.relax.turns_per_tile", "33 turns"});
  const auto waves = [](Boundary past_boundary) {
    Pipeline p;
    const auto u = p.input<float, 2>("u", image, Boundary::periodic);
    const auto past = p.input<float, 2>("past", image, past_boundary);
    p.repeat("wave", 9, [&](const Pipeline::Loop& loop) {
      loop.feed(p.stage<float>("next", Wave(), u, past), u);
      loop.feed(u, past);
    });
    p.output(u);
    return p;
  };
  expect_message(schedule_error(waves(Boundary::none), {3, 1, 1}, "wave"),
                 {"loops.wave.turns_per_exchange", "'next@1'", "periodic side"});
  expect_message(schedule_error(waves(Boundary::none), {1, 3, 1}, "wave"),
                 {"loops.wave.turns_per_tile", "'next@1'", "periodic side"});
  EXPECT_EQ(schedule_error(waves(Boundary::none), {1, 1, 2}, "wave"), "no error");
  EXPECT_EQ(schedule_error(waves(Boundary::periodic), {3, 1, 1}, "wave"), "no error");
  Pipeline outer;
  const auto u = outer.input<float, 2>("u", image, Boundary::clamp);
  outer.repeat("out", 3, [&](const Pipeline::Loop& all) {
    outer.repeat("in", 3, [&](const Pipeline::Loop& loop) {
      const auto [next, change] = outer.stages<TypeList<float, float>>({"next", "change"}, Relax(), u);
      loop.feed(next, u);
      loop.until(outer.reduce("largest", MaximumNorm<float>(), change, image));
    });
    all.until(outer.reduce("norm", MaximumNorm<float>(), u, image));
  });
  outer.output(u);
  expect_message(schedule_error(outer, {1, 1, 2}, "out"), {"loops.out.turns_per_test", "'out'", "turns run"});
}

TEST(Rounds, KeysOfCopiesAreThoseOfDecks) {
  EXPECT_EQ(key_without_turn("schedule.next@4.tile"), "schedule.next.tile");
  EXPECT_EQ(key_without_turn("schedule.next.tile"), "schedule.next.tile");
  EXPECT_EQ(key_without_turn("memory"), "memory");
}

TEST(Rounds, AreSettledBeforePlansAreMade) {
  Schedule schedule;
  schedule.loops["relax"] = {1, 1, 4};
  expect_message(test::message_of<InternalError>([&] { make_plan(relaxing(9), schedule, {}, 1, 0); }),
                 {"'relax'", "should have", "call in_rounds"});
}

}  // namespace
}  // namespace tessera::test::rounds
