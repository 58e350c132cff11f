// SPDX-License-Identifier: BSD-3-Clause
// Loops, bounded stages and values that cannot be, schedules that do not fit them, and loops that diverge.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "domain/random.hpp"
#include "messages.hpp"
#include "pipeline/array_source.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/explain/explain.hpp"
#include "tessera/pipeline/plan/plan_nodes.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"
#include "tessera/pipeline/schedule/rounds.hpp"

namespace {

using namespace tessera;
using test::expect_message;

const Box image{{0, 16}, {0, 12}};

struct Twice {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(x, y) * 2.0f;
  }
};
struct Sides {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(x - 1, y) - in(x + 1, y);
  }
};

/// A loop over one stage, `next`, that is fed to the input `u`.
Pipeline doubling(std::int64_t maximum) {
  Pipeline p;
  const auto u = p.input<float, 2>("u", image, Boundary::clamp);
  p.repeat("double", maximum, [&](const Pipeline::Loop& loop) {
    const auto next = p.stage<float>("next", Twice(), u);
    const auto norm = p.reduce("norm", MaximumNorm<float>(), next, image);
    loop.watch(norm);
    loop.feed(next, u);
  });
  p.output(u);
  return p;
}

template <class Declare>
std::string internal_error(const Declare& declare) {
  return test::message_of<InternalError>([&] {
    Pipeline p;
    declare(p);
    make_plan(p, {}, {}, 1, 0);
  });
}

TEST(LoopErrors, LoopsThatCannotBe) {
  const auto in = [](Pipeline& p) { return p.input<float, 2>("in", image, Boundary::clamp); };
  expect_message(internal_error([&](Pipeline& p) { p.repeat("l", 0, [](const Pipeline::Loop&) {}); }),
                 {"'l'", "may run", "0 times"});
  expect_message(internal_error([&](Pipeline& p) { p.repeat("l", 1, [](const Pipeline::Loop&) {}); }),
                 {"loop", "'l'", "no stages"});
  expect_message(
      internal_error([&](Pipeline& p) { p.repeat("l", 1, [&](const Pipeline::Loop&) { in(p); }); }),
      {"'l'", "declares the input", "declare it before"});
  expect_message(internal_error([&](Pipeline& p) {
                   const auto u = in(p);
                   p.repeat("l", 1, [&](const Pipeline::Loop&) { p.stage<float>("next", Twice(), u); });
                 }),
                 {"'l'", "feeds nothing", "would all"});
  expect_message(internal_error([&](Pipeline& p) {
                   const auto u = in(p);
                   const auto before = p.stage<float>("before", Twice(), u);
                   p.repeat("l", 1, [&](const Pipeline::Loop& loop) {
                     loop.feed(p.stage<float>("next", Twice(), u), before);
                   });
                 }),
                 {"'l'", "feed 'next'", "bounded stage"});
  expect_message(internal_error([&](Pipeline& p) {
                   const auto u = in(p);
                   const auto before = p.stage<float>("before", Twice(), u);
                   p.repeat("l", 1, [&](const Pipeline::Loop& loop) { loop.feed(before, u); });
                 }),
                 {"'l'", "feed 'before'", "another array"});
  expect_message(internal_error([&](Pipeline& p) {
                   const auto u = in(p);
                   const auto norm = p.reduce("norm", MaximumNorm<float>(), u, image);
                   p.repeat("l", 1, [&](const Pipeline::Loop& loop) { loop.until(norm); });
                 }),
                 {"'l'", "cannot end", "not a value"});
}

TEST(LoopErrors, WhatIsFedIsComputedWhereItIsRead) {
  expect_message(internal_error([](Pipeline& p) {
                   const auto u = p.input<float, 2>("u", image, Boundary::clamp);
                   p.repeat("l", 3, [&](const Pipeline::Loop& loop) {
                     const auto next = p.stage<float>("next", Twice(), u);
                     const auto sides = p.stage<float>("sides", Sides(), next);
                     loop.until(p.reduce("norm", MaximumNorm<float>(), sides, image));
                     loop.feed(next, u);
                   });
                   p.output(u);
                 }),
                 {"'l'", "feeds 'next'", "both must"});
}

TEST(LoopErrors, NothingIsLeftOfWhatWasFed) {
  expect_message(internal_error([](Pipeline& p) {
                   const auto u = p.input<float, 2>("u", image, Boundary::clamp);
                   Array<float, 2> kept{};
                   p.repeat("l", 3, [&](const Pipeline::Loop& loop) {
                     kept = p.stage<float>("next", Twice(), u);
                     loop.feed(kept, u);
                   });
                   p.output(kept);
                 }),
                 {"'l'", "left of 'next'", "take 'u'"});
}

TEST(LoopErrors, StagesThatCannotBeBounded) {
  expect_message(internal_error([](Pipeline& p) {
                   const auto u = p.input<float, 2>("u", image, Boundary::clamp);
                   p.bound(u, image, Boundary::clamp);
                 }),
                 {"'u'", "cannot be bounded", "computes points"});
  EXPECT_EQ(internal_error([](Pipeline& p) {
              const auto u = p.input<float, 2>("u", image, Boundary::clamp);
              p.bound(p.stage<float>("v", Twice(), u), Box{{0, 0}, {0, 1}}, Boundary::clamp);
            }),
            "'v' cannot end at empty");
  expect_message(internal_error([](Pipeline& p) {
                   const auto u = p.input<float, 2>("u", image, Boundary::clamp);
                   const auto v = p.stage<float>("v", Twice(), u);
                   p.bound(v, image, {});
                   p.output(p.stage<float>("w", Sides(), v));
                 }),
                 {"'v'", "boundary condition", "stages read"});
}

std::string blamed(const Algorithm& pipeline, const std::string& stage, const StageSchedule& schedule) {
  Schedule all;
  all.stages[stage] = schedule;
  try {
    make_plan(pipeline, all, {}, 4, 0);
  } catch (const ScheduleError& error) {
    return error.key + ": " + error.what();
  }
  return "nothing was thrown";
}

TEST(LoopErrors, SchedulesOfWhatLoopsCarry) {
  const Pipeline pipeline = doubling(3);
  StageSchedule tile, grid;
  tile.placement = Placement::tile;
  grid.grid = GridRequest{{2, 2}};
  expect_message(blamed(pipeline, "next", tile), {"'next'", "owners keep", "next turn"});
  expect_message(blamed(pipeline, "u", grid), {"'u'", "blocks of 'next'", "changes places"});
  EXPECT_EQ(blamed(pipeline, "next", grid), "nothing was thrown");
}

TEST(LoopErrors, TilesOfStagesThatAreReadInAnotherLoop) {
  Pipeline p;
  const auto u = p.input<float, 2>("u", image, Boundary::clamp);
  const auto twice = p.stage<float>("twice", Twice(), u);
  p.repeat("l", 3, [&](const Pipeline::Loop& loop) {
    const auto next = p.stage<float>("next", Sides(), twice);
    loop.feed(next, u);
  });
  p.output(u);
  StageSchedule tile;
  tile.placement = Placement::tile;
  expect_message(blamed(p, "twice", tile), {"'twice'", "loop begins", "ends between"});
}

TEST(LoopErrors, TilesOfStagesThatAreReadAfterALoop) {
  Pipeline p;
  const auto u = p.input<float, 2>("u", image, Boundary::clamp);
  const auto twice = p.stage<float>("twice", Twice(), u);
  p.repeat("l", 3, [&](const Pipeline::Loop& loop) { loop.feed(p.stage<float>("next", Sides(), u), u); });
  p.output(p.stage<float>("after", Sides(), twice));
  p.output(u);
  StageSchedule tile;
  tile.placement = Placement::tile;
  expect_message(blamed(p, "twice", tile), {"'twice'", "loop begins", "ends between"});
}

TEST(LoopErrors, OutputsAreNotFedAway) {
  expect_message(internal_error([](Pipeline& p) {
                   const auto u = p.input<float, 2>("u", image, Boundary::clamp);
                   p.repeat("l", 3, [&](const Pipeline::Loop& loop) {
                     const auto next = p.stage<float>("next", Twice(), u);
                     p.output(next);
                     loop.feed(next, u);
                   });
                 }),
                 {"'l'", "feeds 'next'", "make 'u'"});
  expect_message(internal_error([](Pipeline& p) {
                   const auto u = p.input<float, 2>("u", image, Boundary::clamp);
                   const auto w = p.input<float, 2>("w", image, Boundary::clamp);
                   p.repeat("outer", 3, [&](const Pipeline::Loop& outer) {
                     Array<float, 2> next{};
                     p.repeat("inner", 3, [&](const Pipeline::Loop& inner) {
                       next = p.stage<float>("next", Twice(), u);
                       inner.feed(next, u);
                     });
                     outer.feed(next, w);
                   });
                 }),
                 {"'inner'", "left of 'next'", "take 'u'"});
}

TEST(LoopErrors, AResidualThatIsNotFiniteEndsTheLoop) {
  for (const float start : {1.0f, std::numeric_limits<float>::quiet_NaN()}) {
    test::WholeArray<float> first(image);
    first.at({{3, 4, 0, 0}}) = start;
    test::ArraySource<float> source(first);
    test::ArraySink<float> sink(image);
    const Pipeline pipeline = doubling(1000);
    expect_message(
        test::message_of<DivergedError>([&] {
          Rehearsal(pipeline, make_plans(pipeline, {}, {}, 3)).run({{{"u", &source}}, {{"u", &sink}}});
        }),
        {"'double'", "residual 'norm'", "other data", start == 1 ? "turn 128 " : "turn 1 ",
         start == 1 ? "is inf" : "is nan"});
    EXPECT_EQ(std::ranges::count(sink.writes.values, 0), image.size());
  }
}

TEST(LoopErrors, RoundsDivergeAtTheSameTurn) {
  test::WholeArray<float> first(image);
  std::ranges::fill(first.values, 1.0f);
  test::ArraySource<float> source(first);
  test::ArraySink<float> sink(image);
  for (const LoopSchedule& asked : {LoopSchedule{5, 1, 1}, LoopSchedule{1, 3, 1}, LoopSchedule{1, 1, 32}}) {
    Schedule schedule;
    schedule.loops["double"] = asked;
    const Rounds rounds = in_rounds(doubling(1000), schedule);
    expect_message(test::message_of<DivergedError>([&] {
                     Rehearsal(rounds.pipeline, make_plans(rounds.pipeline, rounds.schedule, {}, 3))
                         .run({{{"u", &source}}, {{"u", &sink}}});
                   }),
                   {"'double'", "residual 'norm'", "other data"});
  }
}

TEST(LoopPlans, WhatDoesNotChangeIsExchangedBeforeTheLoop) {
  Pipeline p;
  const auto u = p.input<float, 2>("u", image, Boundary::clamp);
  const auto f = p.input<float, 2>("f", image, Boundary::clamp);
  p.repeat("l", 3, [&](const Pipeline::Loop& loop) {
    const auto sides = p.stage<float>("sides", Sides(), f);
    loop.until(p.reduce("norm", MaximumNorm<float>(), sides, image));
    loop.feed(p.stage<float>("next", Sides(), u), u);
  });
  p.output(u);
  Schedule schedule;
  schedule.grid = {{0, 1}};
  std::vector<std::string> before, inside;
  const Plan plan = make_plan(p, schedule, {}, 4, 1);
  for (const PlanNode& node : phase(plan, "compute").children) {
    if (std::holds_alternative<plan::Exchange>(node.step)) before.push_back(step_label(p, node));
    walk(node, [&](const PlanNode& inner) {
      if (&inner != &node && std::holds_alternative<plan::Exchange>(inner.step))
        inside.push_back(step_label(p, inner));
    });
  }
  EXPECT_EQ(before, std::vector<std::string>{"exchange f"});
  EXPECT_EQ(inside, std::vector<std::string>{"exchange u"});
}

TEST(LoopPlans, IteratesTakeTwoBuffersAndSwapThem) {
  const Pipeline pipeline = doubling(5);
  const Plan plan = make_plan(pipeline, {}, {}, 1, 0);
  const auto buffer_of = [&](const char* array) {
    return plan.buffers[plan.stages[pipeline.find(array)].written_buffer];
  };
  const Buffer u = buffer_of("u"), next = buffer_of("next"), norm = buffer_of("norm");
  EXPECT_EQ(u.box, next.box);
  EXPECT_EQ(u.aligned_x, next.aligned_x);
  EXPECT_NE(u.offset, next.offset);
  EXPECT_EQ(plan.array_bytes, u.bytes + next.bytes + (norm.bytes + 63) / 64 * 64);
  int swaps = 0;
  walk(plan.root,
       [&](const PlanNode& node) { swaps += std::holds_alternative<plan::Swap>(node.step) ? 1 : 0; });
  EXPECT_EQ(swaps, 1);
}

}  // namespace
