// SPDX-License-Identifier: BSD-3-Clause
// What rounds do to plans, and rounds that cannot be. That they never change a bit is tested with all loops.
#include <gtest/gtest.h>

#include "domain/random.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/explain/explain.hpp"
#include "tessera/pipeline/explain/plan_dot.hpp"
#include "tessera/pipeline/plan/plan.hpp"
#include "tessera/pipeline/plan_file/plan_check.hpp"
#include "tessera/pipeline/plan_file/plan_json.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/schedule/rounds.hpp"
#include "tessera/view/reductions.hpp"

namespace {

using namespace tessera;

const Box image{{0, 32}, {0, 24}};

/// Four neighbours, and the change.
struct Relax {
  template <class U, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, Coord x, Coord y) const {
    const auto next = (u(x - 1, y) + u(x + 1, y) + u(x, y - 1) + u(x, y + 1)) * 0.25f;
    return pack(next, next - u(x, y));
  }
};
Pipeline relaxing(std::int64_t maximum, Boundary boundary = Boundary::clamp) {
  Pipeline p;
  const auto u = p.input<float, 2>("u", image, boundary);
  p.repeat("relax", maximum, [&](const Pipeline::Loop& loop) {
    const auto [next, change] = p.stages<TypeList<float, float>>({"next", "change"}, Relax(), u);
    loop.watch(p.reduce("norm", MaximumNorm<float>(), change, image));
    loop.feed(next, u);
  });
  p.output(u);
  return p;
}

/// Four neighbours, less the iterate before.
struct Wave {
  template <class U, class Past, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, const Past& past, Coord x, Coord y) const {
    return (u(x - 1, y) + u(x + 1, y) + u(x, y - 1) + u(x, y + 1)) * 0.5f - past(x, y);
  }
};

Rounds with_rounds(const Algorithm& pipeline, const LoopSchedule& asked, const char* loop = "relax") {
  Schedule schedule;
  schedule.grid = {{1, 0}};
  schedule.loops[loop] = asked;
  return in_rounds(pipeline, schedule);
}

/// The steps of one loop, in order.
std::vector<const PlanNode*> steps_of(const Algorithm& pipeline, const Plan& plan, const std::string& name) {
  std::vector<const PlanNode*> steps;
  walk(plan.root, [&](const PlanNode& node) {
    const auto* repeat = std::get_if<plan::Repeat>(&node.step);
    if (repeat == nullptr || pipeline.loops()[static_cast<std::size_t>(repeat->loop)].name != name) return;
    walk(node, [&](const PlanNode& inner) {
      if (is_step(inner)) steps.push_back(&inner);
    });
  });
  return steps;
}

template <class Step>
std::int64_t count(const std::vector<const PlanNode*>& steps) {
  return std::ranges::count_if(steps,
                               [](const PlanNode* node) { return std::holds_alternative<Step>(node->step); });
}

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
    const int next = rounds.pipeline.find("next@" + std::to_string(turn));
    const ArrayRegions& stage = plan.stages[static_cast<std::size_t>(next)];
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
    const int next = rounds.pipeline.find("next@" + std::to_string(turn));
    const int ghosts = 4 - turn;
    EXPECT_EQ(plan.stages[static_cast<std::size_t>(next)].computed,
              (Box{{-ghosts, 32 + ghosts}, {-ghosts, 6 + ghosts}}));
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
    EXPECT_EQ(plan.stages[static_cast<std::size_t>(rounds.pipeline.find(name))].written_buffer, -1) << name;
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
  const int u = pipeline.find("u"), next = pipeline.find("next"), last = pipeline.find("next@4");
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
  const int spare = pipeline.find("u@wave@kept");
  EXPECT_TRUE(pipeline[spare].is_spare);
  EXPECT_FALSE(pipeline[spare].is_input());
  EXPECT_EQ(pipeline.size(), waiting.pipeline.size() + 1);
  const std::vector<Plan> plans = make_plans(pipeline, rounds.schedule, {}, 3);
  const std::string json = to_json(pipeline, plans);
  const std::vector<Plan> read = plans_from_json(pipeline, json);
  check_plans(pipeline, read);
  EXPECT_EQ(to_json(pipeline, read), json);
  const Plan plan_that_waits = make_plan(waiting.pipeline, waiting.schedule, {}, 3, 0);
  const ArrayRegions& regions = plans.front().stages[static_cast<std::size_t>(spare)];
  const Buffer& buffer = plans.front().buffers[static_cast<std::size_t>(regions.written_buffer)];
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

/// The first loop that runs in rounds at or below a node; null if there is none.
plan::Repeat* rounds_in(PlanNode& node) {
  auto* repeat = std::get_if<plan::Repeat>(&node.step);
  if (repeat != nullptr && repeat->rounds_of >= 0) return repeat;
  plan::Repeat* found = nullptr;
  if (auto* children = children_of(node))
    for (PlanNode& child : *children)
      if (found == nullptr) found = rounds_in(child);
  return found;
}

/// Erases the steps below a node that allocate or free a buffer.
void erase_uses(PlanNode& node, int buffer) {
  auto* children = children_of(node);
  if (children == nullptr) return;
  std::erase_if(*children, [buffer](const PlanNode& child) {
    const auto* allocate = std::get_if<plan::Allocate>(&child.step);
    const auto* free = std::get_if<plan::Free>(&child.step);
    return (allocate != nullptr && allocate->buffer == buffer) || (free != nullptr && free->buffer == buffer);
  });
  for (PlanNode& child : *children) erase_uses(child, buffer);
}

TEST(Rounds, PlansMustSwapWhatLoopsFeed) {
  const Rounds rounds = with_rounds(relaxing(100), {.turns_per_test = 3, .overlaps_test = true});
  // The function `edit` gets the plan, the steps of the rounds, and the first of their swaps.
  const auto error_after = [&](const auto& edit) {
    Plan plan = make_plan(rounds.pipeline, rounds.schedule, {}, 1, 0);
    check_plan(rounds.pipeline, plan);
    std::vector<PlanNode>& steps = rounds_in(plan.root)->children;
    edit(plan, steps, std::ranges::find_if(steps, [](const PlanNode& child) {
           return std::holds_alternative<plan::Swap>(child.step);
         }));
    number_nodes(plan.root);
    const std::string error = test::message_of<InputError>([&] { check_plan(rounds.pipeline, plan); });
    const std::string parts[] = {"(repeat): ", ": save the plan again, or mend it"};
    const std::size_t begin = error.find(parts[0]), end = error.find(parts[1]);
    return begin < end && end != std::string::npos
               ? error.substr(begin + parts[0].size(), end - begin - parts[0].size())
               : error;
  };
  const std::string feeds =
      ", but the feeds of the loop 'relax@rounds' swap 'next' with 'u', 'u' with 'next@3'";
  EXPECT_EQ(error_after([](Plan&, auto& steps, auto swap) { steps.erase(swap); }),
            "it swaps 'u' with 'next@3'" + feeds);
  EXPECT_EQ(error_after([](Plan&, auto&, auto swap) { std::swap(swap[0], swap[1]); }),
            "it swaps 'u' with 'next@3', 'next' with 'u'" + feeds);
  EXPECT_EQ(error_after([](Plan&, auto& steps, auto swap) { steps.push_back(PlanNode(*swap)); }),
            "it swaps 'next' with 'u', 'u' with 'next@3', 'next' with 'u'" + feeds);
  EXPECT_NE(error_after([](Plan&, auto& steps, auto swap) {
              steps.push_back(PlanNode{0, plan::Sequence{"more", {PlanNode(*swap)}}});
            }).find(", inside of the loop 'relax@rounds', has a swap"),
            std::string::npos);
  const auto next = static_cast<std::size_t>(rounds.pipeline.find("next"));
  const int buffer = make_plan(rounds.pipeline, rounds.schedule, {}, 1, 0).stages[next].written_buffer;
  EXPECT_TRUE(error_after([&](Plan&, auto& steps, auto) {
                const auto place = steps.insert(steps.begin(), PlanNode{0, plan::Free{buffer}});
                steps.insert(place + 1, PlanNode{0, plan::Allocate{buffer}});
              })
                  .ends_with(" frees buffer " + std::to_string(buffer) +
                             ", whose array the loop 'relax@rounds' feeds"));
  EXPECT_EQ(error_after([&](Plan& plan, auto&, auto) {
              erase_uses(plan.root, buffer);
              auto& steps = rounds_in(plan.root)->children;
              steps.insert(steps.begin(), PlanNode{0, plan::Allocate{buffer}});
              steps.push_back(PlanNode{0, plan::Free{buffer}});
            }),
            "no buffer in use holds 'next'");
}

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
  const std::string legal = ": only 'waits' is legal";
  EXPECT_EQ(error(with_loop([](Pipeline& p, const auto& loop, auto u, auto next, auto norm, auto) {
                    loop.feed(p.stage<float>("damped", LessNorm(), next, norm), u);
                  }),
                  overlapped),
            "'damped' reads 'norm': the next turn needs it" + legal);
  EXPECT_EQ(error(with_loop([](Pipeline& p, const auto& loop, auto u, auto next, auto norm, auto state) {
                    loop.feed(Array<float, 2>(next), u);
                    loop.feed(p.value<float>("now", Same(), norm), state);
                  }),
                  overlapped),
            "'now' is fed: the next turn needs it" + legal);
  EXPECT_EQ(
      error(with_loop([](Pipeline& p, const auto& loop, auto u, auto next, auto, auto) {
              loop.feed(Array<float, 2>(next), u);
              p.output(p.value<float>(
                  "sum", Same(), p.value<float>("one", Same(), p.reduce("all", Sum<float>(), u, image))));
              p.output(p.stage<float>("shown", Shown(), next), image);
            }),
            overlapped),
      "'shown' is an output, and would be that of a turn more" + legal);
}

TEST(Rounds, ThatCannotBe) {
  EXPECT_EQ(schedule_error(relaxing(9), {2, 1, 1}, "relaxe"),
            "loops.relaxe: the pipeline has no loop 'relaxe'");
  EXPECT_EQ(schedule_error(relaxing(9), {0, 1, 1}),
            "loops.relax.turns_per_exchange: 0 turns: 1 to 32 are legal");
  EXPECT_EQ(schedule_error(relaxing(9), {1, 33, 1}),
            "loops.relax.turns_per_tile: 33 turns: 1 to 32 are legal");
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
  const std::string why =
      "'next@1' has a periodic side, but 'past', which it reads, has not the same: only 1 is legal";
  EXPECT_EQ(schedule_error(waves(Boundary::none), {3, 1, 1}, "wave"),
            "loops.wave.turns_per_exchange: " + why);
  EXPECT_EQ(schedule_error(waves(Boundary::none), {1, 3, 1}, "wave"), "loops.wave.turns_per_tile: " + why);
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
  EXPECT_EQ(schedule_error(outer, {1, 1, 2}, "out"),
            "loops.out.turns_per_test: the loop 'out' has the loop 'in' in it: its turns run one by one");
}

TEST(Rounds, KeysOfCopiesAreThoseOfDecks) {
  EXPECT_EQ(key_without_turn("schedule.next@4.tile"), "schedule.next.tile");
  EXPECT_EQ(key_without_turn("schedule.next.tile"), "schedule.next.tile");
  EXPECT_EQ(key_without_turn("memory"), "memory");
}

TEST(Rounds, AreSettledBeforePlansAreMade) {
  Schedule schedule;
  schedule.loops["relax"] = {1, 1, 4};
  EXPECT_EQ(test::message_of<InternalError>([&] { make_plan(relaxing(9), schedule, {}, 1, 0); }),
            "the loop 'relax' should have 4 turns in a round: call in_rounds first");
}

}  // namespace
