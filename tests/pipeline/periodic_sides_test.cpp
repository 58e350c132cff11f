// SPDX-License-Identifier: BSD-3-Clause
// Points beyond periodic sides that ranks compute for themselves, in rounds of loops and in single stages.
#include <fmt/format.h>

#include "messages.hpp"
#include "pipeline/random_run.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/view/reductions.hpp"

namespace {

using namespace tessera;
using test::Point;
using Image = test::WholeArray<std::int32_t>;
using test::expect_message;

/// Depends on where the point is, and not only on what it reads. The second result is how much it changed.
struct Grow {
  template <class U, class Past, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, const Past& past, Coord x, Coord y) const {
    const auto next =
        (u(x - 2, y) + 2 * u(x, y - 1) + 3 * u(x + 1, y + 1) + past(x, y - 1) + 5 * x + 7 * y) % 997;
    return pack(next, next - u(x, y));
  }
};
struct Plus {
  template <class A, class B, class Coord>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b, Coord x, Coord y) const {
    return (a(x - 1, y) + a(x + 1, y + 2) + b(0) + 3 * x - y) % 1009;
  }
};
struct IsAbove {
  std::int32_t limit;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord) const {
    return select(in(0) > limit, 1, 0);
  }
};

/// Returns `value % divisor` as it is in a body for coordinates: never negative.
std::int32_t remainder(std::int32_t value, std::int32_t divisor) {
  return (value % divisor + divisor) % divisor;
}

/// The value of an array of which some sides are periodic, and others repeat the last point.
std::int32_t bounded(const Image& array, const BoundaryConditions& boundary, Point p) {
  for (int d = 0; d < 2; ++d) {
    const Range range = array.box[d];
    const auto& side = boundary.side[static_cast<std::size_t>(d)];
    p[d] = boundary_source(p[d], range, side[0], side[1]).point;
  }
  return array.at(p);
}

BoundaryConditions random_sides(test::Random& random) {
  BoundaryConditions sides(Boundary::clamp);
  const int periodic = random.small(1, 3);
  for (std::size_t d = 0; d < 2; ++d)
    if ((periodic >> d & 1) != 0) sides.side[d] = {Boundary::periodic, Boundary::periodic};
  return sides;
}

TEST(PeriodicSides, IteratesBeyondThemAreThoseOfTheOppositeSides) {
  test::Random random(2911);
  int deep = 0;
  for (int i = 0; i < 150; ++i) {
    const Box box = random.box(2, -3, 1, 14);
    const BoundaryConditions sides = random_sides(random);
    Image u = test::random_image(random, box), past = test::random_image(random, box);
    Pipeline p;
    const auto now = p.input<std::int32_t, 2>("u", box, sides);
    const auto before = p.input<std::int32_t, 2>("past", box, sides);
    const std::int64_t most = random.between(1, 12);
    p.repeat("grow", most, [&](const Pipeline::Loop& loop) {
      const auto [next, change] =
          p.stages<TypeList<std::int32_t, std::int32_t>>({"next", "change"}, Grow(), now, before);
      const auto greatest = p.reduce("greatest", Maximum<std::int32_t>(), change, box);
      loop.until(p.value<std::uint8_t>("above", IsAbove{980}, greatest));
      loop.feed(next, now);
      loop.feed(now, before);
    });
    p.output(now);
    p.output(before);
    const test::RandomRun run(random, p, {{"u", u}, {"past", past}});
    if (run.text.find("exchange 1 tile 1") == std::string::npos) ++deep;
    std::int64_t turns = 0;
    for (bool ends = false; turns < most && !ends; ++turns) {
      const Image next = test::made(box, [&](const Point& at) {
        const auto x = static_cast<std::int32_t>(at[0]), y = static_cast<std::int32_t>(at[1]);
        return remainder(bounded(u, sides, test::moved(at, -2, 0)) +
                             2 * bounded(u, sides, test::moved(at, 0, -1)) +
                             3 * bounded(u, sides, test::moved(at, 1, 1)) +
                             bounded(past, sides, test::moved(at, 0, -1)) + 5 * x + 7 * y,
                         997);
      });
      test::for_each_point(box, [&](const Point& at) { ends = ends || next.at(at) - u.at(at) > 980; });
      past = std::exchange(u, next);
    }
    EXPECT_EQ(run.turns, std::vector{turns}) << run.text;
    run.expect("u", u);
    run.expect("past", past);
  }
  EXPECT_GT(deep, 50);
}

TEST(PeriodicSides, StagesBeyondThemAreThoseOfTheOppositeSides) {
  test::Random random(2912);
  for (int i = 0; i < 150; ++i) {
    const Box box = random.box(2, -3, 1, 14);
    const BoundaryConditions sides = random_sides(random);
    const Image first = test::random_image(random, box);
    Pipeline p;
    const auto u = p.input<std::int32_t, 2>("u", box, sides);
    const auto least = p.reduce("least", Minimum<std::int32_t>(), u);
    auto stage = u;
    Image expected = first;
    std::int32_t smallest = *std::ranges::min_element(first.values);
    for (int k = 0; k < 4; ++k) {
      stage = p.stage<std::int32_t>(fmt::format("stage{}", k), Plus(), stage, least);
      p.bound(stage, box, sides);
      const Image before = expected;
      expected = test::made(box, [&](const Point& at) {
        return remainder(bounded(before, sides, test::moved(at, -1, 0)) +
                             bounded(before, sides, test::moved(at, 1, 2)) + smallest +
                             3 * static_cast<std::int32_t>(at[0]) - static_cast<std::int32_t>(at[1]),
                         1009);
      });
    }
    p.output(stage);
    test::RandomRun(random, p, {{"u", first}}).expect("stage3", expected);
  }
}

struct Scaled {
  std::int32_t factor;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return factor * (in(x, y) + in(x + 1, y)) % 1009 + x;
  }
};

/// Devices compute fusable stages by one kernel, which has copies of their bodies.
TEST(PeriodicSides, BoundedStagesAreFused) {
  const Box box{{0, 40}, {0, 30}};
  test::Random random(2913);
  const Image first = test::random_image(random, box);
  Pipeline p;
  const auto u = p.input<std::int32_t, 2>("u", box, Boundary::periodic);
  const auto inner = p.stage<std::int32_t>("inner", Scaled{3}, u);
  const auto stage = p.stage<std::int32_t>("stage", Scaled{5}, inner);
  p.bound(stage, box, Boundary::periodic);
  p.fusable(inner, stage);
  p.output(stage);
  Schedule schedule;
  schedule.stages["inner"].placement = Placement::tile;
  const auto at = [&](std::int64_t x, std::int64_t y) {
    const auto value = [&](std::int64_t c) { return first.at({{c % 40, y, 0, 0}}); };
    return 3 * (value(x) + value(x + 1)) % 1009 + static_cast<std::int32_t>(x);
  };
  const Image expected = test::made(box, [&](const Point& point) {
    return 5 * (at(point[0], point[1]) + at(point[0] + 1, point[1])) % 1009 +
           static_cast<std::int32_t>(point[0]);
  });
  for (const bool device : {false, true}) {
    Target target;
    target.device = device || !runs_on_host;
    test::ArraySource<std::int32_t> source(first);
    test::ArraySink<std::int32_t> sink(box);
    Rehearsal(p, make_plans(p, schedule, target, 3)).run({{{"u", &source}}, {{"stage", &sink}}});
    EXPECT_TRUE(sink.array.same_bits(expected)) << device;
  }
}

struct Column {
  template <class Line, class In, class Coord>
  KOKKOS_FUNCTION void operator()(Line& line, const In& in, Coord x) const {
    for (int y = 0; y < 8; ++y) line(y) = in(x, Coordinate(0)) + y;
  }
};

TEST(PeriodicSides, LinesAlongThemAreComputedOnce) {
  const Box box{{0, 8}, {0, 8}};
  Pipeline p;
  const auto u = p.input<std::int32_t, 2>("u", box, Boundary::periodic);
  const auto least = p.reduce("least", Minimum<std::int32_t>(), u);
  const auto lines = p.columns<std::int32_t, 2, 1>("lines", Column(), 8, u);
  p.bound(lines, box, Boundary::periodic);
  p.output(p.stage<std::int32_t>("shown", Plus(), lines, least), box);
  Schedule schedule;
  schedule.stages["lines"].placement = Placement::tile;
  expect_message(test::message_of<ScheduleError>([&] { make_plans(p, schedule, {}, 2); }),
                 {"'lines'", "computes whole", "periodic sides"});
}

struct Two {
  template <class A, class B, class Coord>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b, Coord x, Coord y) const {
    return pack(a(x, y) + b(x - 1, y), b(x, y) - a(x + 1, y));
  }
};

TEST(PeriodicSides, IteratesOfOneStageHaveTheSame) {
  const Box box{{0, 8}, {0, 8}};
  BoundaryConditions along_x(Boundary::clamp);
  along_x.side[0] = {Boundary::periodic, Boundary::periodic};
  Pipeline p;
  const auto a = p.input<std::int32_t, 2>("a", box, along_x);
  const auto b = p.input<std::int32_t, 2>("b", box, Boundary::periodic);
  p.repeat("both", 9, [&](const Pipeline::Loop& loop) {
    const auto [c, d] = p.stages<TypeList<std::int32_t, std::int32_t>>({"c", "d"}, Two(), a, b);
    loop.feed(c, a);
    loop.feed(d, b);
  });
  p.output(a);
  Schedule schedule;
  schedule.loops["both"].turns_per_exchange = 2;
  expect_message(test::message_of<ScheduleError>([&] { in_rounds(p, schedule); }),
                 {"'c@1'", "periodic side", "only 1"});
}

TEST(PeriodicSides, PlacementsThatStagesCannotHave) {
  const Box box{{0, 8}, {0, 8}};
  const auto message = [&](Boundary of_input, Placement placement) {
    Pipeline p;
    const auto u = p.input<std::int32_t, 2>("u", box, of_input);
    const auto least = p.reduce("least", Minimum<std::int32_t>(), u);
    const auto stage = p.stage<std::int32_t>("stage", Plus(), u, least);
    p.bound(stage, box, Boundary::periodic);
    p.output(p.stage<std::int32_t>("shown", Plus(), stage, least), box);
    Schedule schedule;
    schedule.stages["stage"].placement = placement;
    return test::message_of<ScheduleError>([&] { make_plans(p, schedule, {}, 2); });
  };
  expect_message(message(Boundary::clamp, Placement::tile), {"'stage'", "cannot be 'tile'", "periodic side"});
  expect_message(message(Boundary::periodic, Placement::replicated),
                 {"'stage'", "periodic side", "ranks need"});
  EXPECT_EQ(message(Boundary::periodic, Placement::rank), "nothing was thrown");
}

}  // namespace
