// SPDX-License-Identifier: BSD-3-Clause
// Fusable groups: what devices compute in one kernel per tile, run here by the kernels of the host.
#include <gtest/gtest.h>

#include "messages.hpp"
#include "pipeline/mixed_stages.hpp"
#include "pipeline/random_bodies.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/plan/tiles.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"

namespace {

using namespace tessera;
using test::expect_message;

/// A pipeline from "in" to its last stage, with the stages that form a group.
struct Grouped {
  test::WholeArray<float> image;
  Pipeline pipeline;
  std::vector<std::string> group;
};

struct Builder {
  Grouped grouped;
  Box output;
  Array<float, 2> in;

  explicit Builder(test::Random& random) : output(random.box(2, -4, 4, 40)) {
    grouped.image = test::WholeArray<float>(random.box(2, -3, 3, 24));
    for (float& value : grouped.image.values) value = static_cast<float>(random.real(-4, 4));
    in = grouped.pipeline.input<float, 2>("in", grouped.image.box, test::random_boundary(random));
  }
  template <class Last>
  Grouped finish(std::vector<std::string> group, const Last& last) {
    grouped.group = std::move(group);
    grouped.pipeline.output(last, output);
    return std::move(grouped);
  }
};

Grouped chain_of_two(test::Random& random) {
  Builder b(random);
  Pipeline& p = b.grouped.pipeline;
  const auto a = p.stage<float>("a", test::Skewed{0.3f}, b.in);
  const auto out = p.stage<float>("out", test::RowSum{0.7f}, a);
  p.fusable(a, out);
  return b.finish({"a", "out"}, out);
}

Grouped diamond(test::Random& random) {
  Builder b(random);
  Pipeline& p = b.grouped.pipeline;
  const auto a = p.stage<float>("a", test::Displaced{0.3f}, b.in);
  const auto c = p.stage<float>("c", test::Transposed{0.7f}, a);
  const auto out = p.stage<float>("out", test::Mixed{0.6f}, a, c);
  p.fusable(a, c, out);
  return b.finish({"a", "c", "out"}, out);
}

/// Several outputs, several inputs, and resampling.
Grouped four(test::Random& random) {
  Builder b(random);
  Pipeline& p = b.grouped.pipeline;
  const auto half = p.stage<float>("half", test::Down{0.3f}, b.in);
  const auto [value, levels] =
      p.stages<TypeList<float, std::uint8_t>>({"value", "levels"}, test::TwoValues{0.9f}, half);
  const auto up = p.stage<float>("up", test::Up{0.7f}, value);
  const auto out = p.stage<float>("out", test::ByteMixed{0.6f}, up, levels);
  p.fusable(half, value, up, out);
  return b.finish({"half", "value", "up", "out"}, out);
}

/// Stages that compute several points at a time.
Grouped pairs_and_planes(test::Random& random) {
  Builder b(random);
  Pipeline& p = b.grouped.pipeline;
  const auto wide = p.phases<float, 2>("wide", test::TwiceAsWide{0.3f}, b.in);
  const auto colours = p.planes<float, 3, 3, 2>("colours", test::ColourPairs{0.7f}, wide);
  const auto out = p.stage<float, 2>("out", test::OneColour{0.6f}, colours);
  p.fusable(wide, colours, out);
  return b.finish({"wide", "colours", "out"}, out);
}

/// The last stage reads the second one in a part of the plane only.
Grouped sided(test::Random& random) {
  Builder b(random);
  Pipeline& p = b.grouped.pipeline;
  const auto a = p.stage<float>("a", test::Skewed{0.3f}, b.in);
  const auto c = p.stage<float>("c", test::RowSum{0.7f}, b.in);
  const auto out = p.stage<float>("out", test::Sided{0.6f}, a, c);
  p.fusable(a, c, out);
  return b.finish({"a", "c", "out"}, out);
}

Schedule all_in_tiles(const Grouped& grouped) {
  Schedule schedule;
  for (std::size_t i = 0; i + 1 < grouped.group.size(); ++i)
    schedule.stages[grouped.group[i]].placement = Placement::tile;
  return schedule;
}

test::WholeArray<float> rehearse(const Grouped& grouped, const std::vector<Plan>& plans) {
  test::ArraySource<float> source(grouped.image);
  test::ArraySink<float> sink(grouped.pipeline.arrays().back().domain);
  Rehearsal(grouped.pipeline, plans).run({{{"in", &source}}, {{"out", &sink}}});
  EXPECT_TRUE(sink.every_point_written_once());
  return sink.array;
}

std::vector<Plan> plans_of(const Grouped& grouped, const Schedule& schedule, const Target& target,
                           int ranks) {
  std::vector<Plan> plans;
  for (int rank = 0; rank < ranks; ++rank)
    plans.push_back(make_plan(grouped.pipeline, schedule, target, ranks, rank));
  return plans;
}

Target device_with(std::int64_t scratch) {
  Target target;
  target.device = true;
  target.team_scratch_bytes = scratch;
  return target;
}

/// Steps that compute by a group; all of them fit, and others compute one stage each.
int count_group_steps(const Plan& plan) {
  int steps = 0;
  walk(plan.root, [&](const PlanNode& node) {
    const auto* step = std::get_if<plan::Compute>(&node.step);
    if (step == nullptr || step->parts.empty()) return;
    if (step->group >= 0) ++steps;
    EXPECT_EQ(step->group >= 0, step->members.size() > 1);
    EXPECT_LE(step->scratch_bytes, plan.target.team_scratch_bytes);
  });
  return steps;
}

using Make = Grouped (*)(test::Random&);
constexpr Make all_groups[] = {&chain_of_two, &diamond, &four, &pairs_and_planes, &sided};

#ifdef TESSERA_TEST_FEWER
constexpr int cases = 60;
#else
constexpr int cases = 200;
#endif

TEST(Groups, GiveTheBitsOfHosts) {
  test::Random random(251);
  int steps = 0;
  for (int i = 0; i < cases; ++i) {
    const Grouped grouped = all_groups[static_cast<std::size_t>(i) % std::size(all_groups)](random);
    Schedule schedule = test::random_schedule(random, grouped.pipeline);
    if (random.chance(70))
      for (const auto& [name, stage] : all_in_tiles(grouped).stages) schedule.stages[name] = stage;
    schedule.stages["out"].tile = random.one_of<TileSize>({{}, {4, 4}, {7}, {16, 3}, {1, 9}});
    schedule.stages.erase("levels");
    const int ranks = test::random_rank_count(random);
    const auto plans =
        plans_of(grouped, schedule, device_with(random.one_of<std::int64_t>({64, 4096, 49152})), ranks);
    for (const Plan& plan : plans) steps += count_group_steps(plan);
    EXPECT_TRUE(rehearse(grouped, plans).same_bits(rehearse(grouped, plans_of(grouped, {}, {}, 1))))
        << test::to_string(schedule) << " on " << ranks;
  }
  EXPECT_GT(steps, 2 * cases);
}

TEST(Groups, AreUsedWhereTheyFitAndElseTheirStagesAreComputedPerRank) {
  test::Random random(252);
  for (const Make make : all_groups) {
    const Grouped grouped = make(random);
    const Schedule schedule = all_in_tiles(grouped);
    for (const std::int64_t scratch : {std::int64_t{49152}, std::int64_t{64}}) {
      const bool fits = scratch > 1000;
      const Plan plan = make_plan(grouped.pipeline, schedule, device_with(scratch), 1, 0);
      EXPECT_EQ(count_group_steps(plan), fits ? 1 : 0);
      for (std::size_t i = 0; i + 1 < grouped.group.size(); ++i)
        EXPECT_EQ(plan.stages[grouped.pipeline.find(grouped.group[i])].placement,
                  fits ? Placement::tile : Placement::rank);
    }
  }
}

TEST(Groups, AStageThatAnotherOneReadsOutsideIsComputedPerRank) {
  test::Random random(253);
  for (bool outside : {false, true}) {
    Builder b(random);
    Pipeline& p = b.grouped.pipeline;
    const auto a = p.stage<float>("a", test::Skewed{0.3f}, b.in);
    if (outside) p.output(p.stage<float>("other", test::Up{0.3f}, a), Box{{0, 9}, {0, 9}});
    const auto out = p.stage<float>("out", test::RowSum{0.7f}, a);
    p.fusable(a, out);
    const Grouped grouped = b.finish({"a", "out"}, out);
    const Plan plan = make_plan(grouped.pipeline, all_in_tiles(grouped), device_with(49152), 1, 0);
    EXPECT_EQ(plan.stages[ArrayId{1}].placement, outside ? Placement::rank : Placement::tile);
    EXPECT_EQ(count_group_steps(plan), outside ? 0 : 1);
  }
}

/// Reads its second input in a narrow band only.
struct Banded {
  template <class A, class B, class Coord>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b, Coord x, Coord y) const {
    auto value = a(x, y);
    if (x > 20)
      if (x < 24) value += b(x, y);
    return value;
  }
};

TEST(Groups, TilesThatTurnOutTooLargeAreErrors) {
  Pipeline p;
  const Box box{{0, 100}, {0, 100}};
  const auto in = p.input<float, 2>("in", box, Boundary::clamp);
  const auto a = p.stage<float>("a", test::Skewed{0.3f}, in);
  const auto c = p.stage<float>("c", test::RowSum{0.3f}, in);
  const auto out = p.stage<float>("out", Banded(), a, c);
  p.fusable(a, c, out);
  p.output(out);
  Schedule schedule;
  schedule.stages["a"].placement = schedule.stages["c"].placement = Placement::tile;
  schedule.stages["out"].tile = {8, 8};
  try {
    make_plan(p, schedule, device_with(1024 + 400), 1, 0);
    FAIL() << "nothing was thrown";
  } catch (const ScheduleError& error) {
    EXPECT_EQ(error.key, "schedule.out.tile");
    expect_message(error.what(), {"'out'", "need up", "smaller ones"});
  }
}

TEST(Groups, NeedATableOfTheirTilesOnly) {
  test::Random random(254);
  const Grouped grouped = chain_of_two(random);
  const Plan plan = make_plan(grouped.pipeline, all_in_tiles(grouped), device_with(49152), 1, 0);
  std::int64_t tiles = 0;
  walk(plan.root, [&](const PlanNode& node) {
    if (const auto* step = std::get_if<plan::Compute>(&node.step); step != nullptr && step->group >= 0)
      tiles += Tiles(step->parts, step->tile).size();
  });
  EXPECT_GT(tiles, 0);
  EXPECT_EQ(plan.scratch_bytes, tiles * 2 * static_cast<std::int64_t>(sizeof(Box)));
}

TEST(Groups, MistakesAreInternalErrors) {
  Pipeline p;
  const auto in = p.input<float, 2>("in", Box{{0, 9}, {0, 9}}, Boundary::clamp);
  const auto a = p.stage<float>("a", test::Skewed{0.3f}, in);
  const auto [value, levels] =
      p.stages<TypeList<float, std::uint8_t>>({"value", "levels"}, test::TwoValues{0.9f}, a);
  const auto first = a;
  const auto second = value, third = value;
  const auto further = levels;
  expect_message(test::message_of<InternalError>([&] { p.fusable(second, first); }),
                 {"fusable group", "were declared"});
  expect_message(test::message_of<InternalError>([&] { p.fusable(second, third); }),
                 {"fusable group", "were declared"});
  expect_message(test::message_of<InternalError>([&] { p.fusable(first, further); }),
                 {"fusable group", "first output", "'levels'"});
}

}  // namespace
