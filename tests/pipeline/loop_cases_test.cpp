// SPDX-License-Identifier: BSD-3-Clause
// Loops in the company of what surrounds them: each case by itself, in closed form, rehearsed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "pipeline/array_source.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/explain/explain.hpp"
#include "tessera/pipeline/plan/exchanges.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"

namespace {

using namespace tessera;
using test::Point;
using Image = test::WholeArray<std::int32_t>;
using Source = test::ArraySource<std::int32_t>;
using Sink = test::ArraySink<std::int32_t>;

const Box image{{0, 12}, {0, 9}};

struct PlusOne {
  template <class In, class... Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord... at) const {
    return in(at...) + 1;
  }
};
/// Reads both sides, with what lies beyond the edges.
struct Sides {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(x - 1, y) + in(x + 1, y) + in(x, y - 1) + in(x, y + 1);
  }
};
struct Plus {
  template <class A, class B, class Coord>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b, Coord x, Coord y) const {
    return a(x, y) + b(x, y);
  }
};
struct Zero {
  template <class Coord>
  KOKKOS_FUNCTION std::int32_t operator()(Coord) const {
    return 0;
  }
};
struct IsAtLeast {
  std::int32_t limit;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord i) const {
    return select(in(i) >= limit, 1, 0);
  }
};
struct IncreasingColumn {
  template <class Line, class In, class Coord>
  KOKKOS_FUNCTION void operator()(Line& line, const In& in, Coord x) const {
    for (int y = 0; y < 9; ++y) line(y) = in(x, Coordinate(0)) + y;
  }
};

Image ramp() {
  Image array(image);
  test::for_each_point(image,
                       [&](const Point& p) { array.at(p) = static_cast<std::int32_t>(p[0] + 100 * p[1]); });
  return array;
}

/// Returns the result of Sides for an array whose edges are repeated.
Image sides_of(const Image& array) {
  Image sides = array;
  test::for_each_point(image, [&](const Point& p) {
    const auto at = [&](std::int64_t dx, std::int64_t dy) {
      return array.clamped({{p[0] + dx, p[1] + dy, 0, 0}});
    };
    sides.at(p) = at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1);
  });
  return sides;
}

/// Returns `output` of `u`, on this many ranks.
template <class T = std::int32_t>
test::WholeArray<T> rehearsed(const Algorithm& pipeline, const std::string& output, const Box& points,
                              int ranks, const Schedule& schedule = {}) {
  const Image first = ramp();
  Source source(first);
  test::ArraySink<T> sink(points);
  Rehearsal(pipeline, make_plans(pipeline, schedule, {2}, ranks)).run({{{"u", &source}}, {{output, &sink}}});
  EXPECT_TRUE(sink.every_point_written_once());
  return sink.array;
}

TEST(LoopCases, AReductionAfterALoopIsOfTheLastIterate) {
  Pipeline p;
  const auto u = p.input<std::int32_t, 2>("u", image);
  const auto v = p.stage<std::int32_t>("v", PlusOne(), u);
  p.bound(v, image, {});
  const auto before = p.reduce("before", Sum<std::int32_t>(), v, image);
  p.repeat("l", 5,
           [&](const Pipeline::Loop& loop) { loop.feed(p.stage<std::int32_t>("next", PlusOne(), v), v); });
  p.output(p.reduce("after", Sum<std::int32_t>(), v, image));
  p.output(before);
  std::int64_t sum = 0;
  for (std::int32_t value : ramp().values) sum += value;
  for (int ranks : {1, 3}) {
    EXPECT_EQ(rehearsed<std::int64_t>(p, "before", Box{{0, 1}}, ranks).values.front(), sum + image.size());
    EXPECT_EQ(rehearsed<std::int64_t>(p, "after", Box{{0, 1}}, ranks).values.front(), sum + 6 * image.size());
  }
}

TEST(LoopCases, AnInnerLoopFeedsAnArrayOfTheOuterOnesSurroundings) {
  Pipeline p;
  const auto u = p.input<std::int32_t, 2>("u", image, Boundary::clamp);
  const auto total = p.values<std::int32_t>("total", Zero(), 1);
  Array<std::int32_t, 2> sides{};
  p.repeat("outer", 3, [&](const Pipeline::Loop& outer) {
    sides = p.stage<std::int32_t>("sides", Sides(), u);
    const auto most = p.reduce("most", Maximum<std::int32_t>(), sides, image);
    p.repeat("inner", 2, [&](const Pipeline::Loop& inner) {
      inner.feed(p.stage<std::int32_t>("next", PlusOne(), u), u);
    });
    outer.watch(most);
    outer.feed(p.value<std::int32_t>("new total", PlusOne(), total), total);
  });
  p.output(sides, image);
  // Before the third turn u was raised by four.
  Image raised = ramp();
  for (std::int32_t& value : raised.values) value += 4;
  for (int ranks : {1, 2, 6})
    EXPECT_TRUE(rehearsed(p, "sides", image, ranks).same_bits(sides_of(raised))) << ranks;
}

TEST(LoopCases, AnInnerLoopMayBeAllThatChangesAnArray) {
  Pipeline p;
  const auto u = p.input<std::int32_t, 2>("u", image, Boundary::clamp);
  p.repeat("outer", 3, [&](const Pipeline::Loop&) {
    p.repeat("inner", 2, [&](const Pipeline::Loop& inner) {
      inner.feed(p.stage<std::int32_t>("next", PlusOne(), u), u);
    });
  });
  p.output(u);
  Image raised = ramp();
  for (std::int32_t& value : raised.values) value += 6;
  for (int ranks : {1, 2}) EXPECT_TRUE(rehearsed(p, "u", image, ranks).same_bits(raised)) << ranks;
}

TEST(LoopCases, AConditionThatIsFedIsTheNewOne) {
  Pipeline p;
  const auto u = p.input<std::int32_t, 2>("u", image);
  const auto turns = p.value<std::int32_t>("turns", Zero());
  const auto ended = p.value<std::int32_t>("ended", Zero());
  p.repeat("l", 100, [&](const Pipeline::Loop& loop) {
    loop.feed(p.stage<std::int32_t>("next", PlusOne(), u), u);
    const auto more = p.value<std::int32_t>("more", PlusOne(), turns);
    const auto ends = p.value<std::int32_t>("ends", IsAtLeast{7}, more);
    loop.feed(more, turns);
    loop.watch(more);
    loop.feed(ends, ended);
    loop.until(ends);
  });
  p.output(u);
  const Image first = ramp();
  Source source(first);
  Sink sink(image);
  Bindings bindings{{{"u", &source}}, {{"u", &sink}}};
  LoopProgress last;
  bindings.after_loop = [&](const LoopProgress& progress) { last = progress; };
  Rehearsal(p, make_plans(p, {}, {}, 2)).run(bindings);
  EXPECT_EQ(last.turns, 7);
  EXPECT_EQ(last.residual, 7);
  EXPECT_EQ(sink.array.at({{3, 2, 0, 0}}), 203 + 7);
}

TEST(LoopCases, LinesStayWholeInAFamily) {
  Pipeline p;
  const auto u = p.input<std::int32_t, 2>("u", image, Boundary::clamp);
  const auto v = p.columns<std::int32_t, 2, 1>("v", IncreasingColumn(), 9, u);
  p.bound(v, image, Boundary::clamp);
  p.repeat("l", 1,
           [&](const Pipeline::Loop& loop) { loop.feed(p.stage<std::int32_t>("next", Sides(), v), v); });
  p.output(v);
  Image start = ramp();
  test::for_each_point(image,
                       [&](const Point& at) { start.at(at) = static_cast<std::int32_t>(at[0] + at[1]); });
  for (int ranks : {1, 2, 5})
    EXPECT_TRUE(rehearsed(p, "v", image, ranks).same_bits(sides_of(start))) << ranks;
}

struct PlusOneAndTwo {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return pack(in(x, y) + 1, in(x, y) + 2);
  }
};

TEST(LoopCases, OutputsOfOneStageInTwoFamilies) {
  Pipeline p;
  const auto u = p.input<std::int32_t, 2>("u", image, Boundary::clamp);
  const auto w = p.stage<std::int32_t>("w", PlusOne(), u);
  p.bound(w, image, Boundary::clamp);
  p.repeat("first", 2, [&](const Pipeline::Loop& loop) {
    const auto [a, b] = p.stages<TypeList<std::int32_t, std::int32_t>>({"a", "b"}, PlusOneAndTwo(), u);
    loop.feed(a, u);
    loop.feed(b, w);
  });
  p.repeat("second", 3,
           [&](const Pipeline::Loop& loop) { loop.feed(p.stage<std::int32_t>("t", PlusOne(), w), w); });
  p.output(w);
  Schedule schedule;
  schedule.stages["t"].grid = GridRequest{{0, 1}};
  for (int ranks : {1, 4}) {
    const Image result = rehearsed(p, "w", image, ranks, schedule);
    // After the first loop w is u raised by one and then by two.
    EXPECT_EQ(result.at({{5, 1, 0, 0}}), 105 + 1 + 2 + 3);
    EXPECT_EQ(result.at({{11, 8, 0, 0}}), 811 + 1 + 2 + 3);
  }
}

TEST(LoopCases, ExchangesArePreparedForTheArrangementsThatOccur) {
  Pipeline p;
  std::vector<Array<std::int32_t, 2>> arrays;
  for (int k = 0; k < 9; ++k)
    arrays.push_back(p.input<std::int32_t, 2>(fmt::format("u{}", k), image, Boundary::periodic));
  p.repeat("l", 10, [&](const Pipeline::Loop& loop) {
    for (std::size_t k = 0; k < arrays.size(); ++k)
      loop.feed(p.stage<std::int32_t>(fmt::format("n{}", k), Sides(), arrays[k]), arrays[k]);
  });
  for (const auto& array : arrays) p.output(array);
  const Plan plan = make_plan(p, {}, {}, 2, 0);
  int exchanges = 0;
  walk(plan.root, [&](const PlanNode& node) {
    if (!std::holds_alternative<plan::Exchange>(node.step)) return;
    ++exchanges;
    EXPECT_EQ(arrangements(plan, node).size(), 2u);
  });
  EXPECT_EQ(exchanges, 1);
}

TEST(LoopCases, ContributionsOfARunThatEndedAreForgotten) {
  Pipeline p;
  const auto u = p.input<float, 2>("in", image);
  const auto v = p.stage<float>("v", Plus(), u, u);
  const auto sum = p.reduce("sum", Sum<float>(), v, image);
  const auto w = p.stage<float>("w", Plus(), u, u);
  p.bound(w, image, {});
  p.repeat("l", 3, [&](const Pipeline::Loop& loop) {
    const auto next = p.stage<float>("next", Plus(), w, w);
    loop.watch(p.reduce("norm", MaximumNorm<float>(), next, image));
    loop.feed(next, w);
  });
  p.output(w);
  p.output(sum);
  test::WholeArray<float> good(image), bad(image);
  good.values.assign(good.values.size(), 1);
  bad.values.assign(bad.values.size(), std::numeric_limits<float>::infinity());
  test::ArraySource<float> source(bad), second(good);
  test::ArraySink<float> sink(image), sums(Box{{0, 1}});
  Rehearsal rehearsal(p, make_plans(p, {}, {}, 2));
  EXPECT_THROW(rehearsal.run({{{"in", &source}}, {{"w", &sink}, {"sum", &sums}}}), DivergedError);
  rehearsal.run({{{"in", &second}}, {{"w", &sink}, {"sum", &sums}}});
  EXPECT_EQ(sums.array.values.front(), 2 * 12 * 9);
}

struct Rise {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return pack(in(x, y) + 1, in(x, y) / 2);
  }
};

TEST(LoopCases, WhatOnlyAReductionReadsIsNotKept) {
  Pipeline p;
  const auto u = p.input<std::int32_t, 2>("u", image);
  p.repeat("l", 4, [&](const Pipeline::Loop& loop) {
    const auto [next, half] = p.stages<TypeList<std::int32_t, std::int32_t>>({"next", "half"}, Rise(), u);
    loop.watch(p.reduce("sum", Sum<std::int32_t>(), half, image));
    loop.feed(next, u);
  });
  p.output(u);
  const Plan plan = make_plan(p, {}, {}, 2, 1);
  const auto& half = plan.stages[p.find("half")];
  EXPECT_EQ(half.written_buffer, no_buffer);
  EXPECT_EQ(half.computed_points, half.owned.size());
  std::vector<std::string> steps;
  walk(plan.root, [&](const PlanNode& node) {
    const auto* step = std::get_if<plan::Compute>(&node.step);
    if (step == nullptr) return;
    steps.push_back(p[step->stage].name);
    ASSERT_EQ(step->contributions.size(), 1u);
    EXPECT_EQ(p[step->contributions.front().stage].name, "sum");
    EXPECT_EQ(step->contributions.front().box, half.owned);
    EXPECT_GT(step->scratch_bytes, 0);
  });
  EXPECT_EQ(steps, std::vector<std::string>{"next"});
  EXPECT_NE(explain(p, plan).find(", contributes to sum"), std::string::npos) << explain(p, plan);
  // A schedule that says something of the reduction means it.
  Schedule schedule;
  schedule.stages["sum"].tile = {4, 4};
  EXPECT_NE(make_plan(p, schedule, {}, 2, 1).stages[p.find("half")].written_buffer, no_buffer);
  for (const Schedule& each : {Schedule(), schedule})
    EXPECT_EQ(rehearsed(p, "u", image, 3, each).at({{2, 2, 0, 0}}), 202 + 4);
}

}  // namespace
