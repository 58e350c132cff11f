// SPDX-License-Identifier: BSD-3-Clause
// A loop whose reductions read the iterate of a turn and the one before, or have groups, in rounds of any
// kind and with overlapped tests, against a plain program.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "pipeline/array_source.hpp"
#include "pipeline/random_schedule.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"
#include "tessera/pipeline/schedule/rounds.hpp"
#include "tessera/view/reductions.hpp"

namespace {

using namespace tessera;
using test::Point;

struct MeanOfNeighbours {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return (in(x - 1, y) + in(x + 1, y) + in(x, y - 1) + in(x, y + 1)) / 4;
  }
};
struct Column {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord) const {
    return in.zero() + cast<int>(x);
  }
};
/// Whether both kinds of changes are small.
struct AreSmall {
  int most, columns;
  template <class Change, class Changes, class Coord>
  KOKKOS_FUNCTION auto operator()(const Change& change, const Changes& changes, Coord) const {
    auto greatest = change(0);
    for (int i = 0; i < columns; ++i) greatest = max(greatest, changes(i));
    return select(greatest <= most, 1, 0);
  }
};

/// The greatest absolute difference of two arrays.
struct GreatestDifference {
  using Value = std::int32_t;
  KOKKOS_FUNCTION void init(Value& value) const { value = 0; }
  KOKKOS_FUNCTION void add(Value& value, std::int32_t a, std::int32_t b, const tessera::Point&) const {
    join(value, a < b ? b - a : a - b);
  }
  KOKKOS_FUNCTION void join(Value& value, const Value& other) const { value = other > value ? other : value; }
  Value result(const Value& value) const { return value; }
};

struct Sample {
  static constexpr int most_turns = 60;
  Box box;
  int columns, most;
  Pipeline pipeline;
  test::WholeArray<std::int32_t> first, last;
  std::vector<std::int32_t> changes;
  std::int32_t change = 0;
  std::int64_t turns = 0;

  explicit Sample(test::Random& random)
      : box(random.box(2, -3, 2, 14)),
        columns(random.small(1, 5)),
        most(random.small(2, 40)),
        first(box),
        last(box) {
    for (std::int32_t& value : first.values) value = random.small(0, 1000);
    declare();
    last = first;
    do turn();
    while (turns < most_turns && std::max(change, *std::ranges::max_element(changes)) > most);
  }

  /// The changes of the first columns from x = 0 on are found once more, each by itself.
  void declare() {
    const auto u = pipeline.input<std::int32_t, 2>("u", box, Boundary::clamp);
    pipeline.repeat("smooth", most_turns, [&](const Pipeline::Loop& loop) {
      const auto next = pipeline.stage<std::int32_t>("next", MeanOfNeighbours{}, u);
      const auto column = pipeline.stage<std::int32_t>("column", Column{}, next);
      const auto all = pipeline.reduce("change", GreatestDifference(), box, next, u);
      const auto each =
          pipeline.reduce_by_key("changes", GreatestDifference(), columns, box, column, next, u);
      loop.feed(next, u);
      loop.watch(all);
      loop.until(pipeline.value<std::uint8_t>("done", AreSmall{most, columns}, all, each));
      pipeline.output(each);
    });
    pipeline.output(u);
  }

  void turn() {
    const test::WholeArray<std::int32_t> before = last;
    const auto at = [&](std::int64_t x, std::int64_t y) { return before.clamped({{x, y, 0, 0}}); };
    changes.assign(static_cast<std::size_t>(columns), 0);
    change = 0;
    test::for_each_point(box, [&](const Point& p) {
      last.at(p) = (at(p[0] - 1, p[1]) + at(p[0] + 1, p[1]) + at(p[0], p[1] - 1) + at(p[0], p[1] + 1)) / 4;
      const std::int32_t difference = std::abs(last.at(p) - before.at(p));
      change = std::max(change, difference);
      if (0 <= p[0] && p[0] < columns) {
        std::int32_t& greatest = changes[static_cast<std::size_t>(p[0])];
        greatest = std::max(greatest, difference);
      }
    });
    ++turns;
  }
};

TEST(ReductionLoop, AnyRoundsGiveTheSameBits) {
  test::Random random(2951);
  int overlapped = 0;
  std::int64_t all_turns = 0;
  for (int i = 0; i < 100; ++i) {
    const Sample sample(random);
    Schedule schedule = test::random_schedule(random, sample.pipeline);
    test::add_random_rounds(random, sample.pipeline, schedule);
    const auto loop = schedule.loops.find("smooth");
    overlapped += loop != schedule.loops.end() && loop->second.overlaps_test;
    Target target;
    target.threads = random.small(1, 3);
    target.device = !runs_on_host || random.chance(20);
    const int ranks = random.small(1, 6);
    const std::string text = test::to_string(schedule) + " on " + std::to_string(ranks);
    const Rounds rounds = in_rounds(sample.pipeline, schedule);
    const std::vector<Plan> plans = make_plans(rounds.pipeline, rounds.schedule, target, ranks);
    test::ArraySource<std::int32_t> source(sample.first);
    test::ArraySink<std::int32_t> last(sample.box), changes(Box{{0, sample.columns}});
    Bindings bindings{{{"u", &source}}, {{"u", &last}, {"changes", &changes}}};
    LoopProgress ended;
    bindings.after_loop = [&](const LoopProgress& progress) { ended = progress; };
    Rehearsal(rounds.pipeline, plans).run(bindings);
    EXPECT_EQ(last.array.values, sample.last.values) << text;
    EXPECT_EQ(changes.array.values, sample.changes) << text;
    EXPECT_EQ(ended.turns, sample.turns) << text;
    EXPECT_EQ(ended.residual, sample.change) << text;
    all_turns += sample.turns;
  }
  EXPECT_GT(overlapped, 5);
  EXPECT_GT(all_turns, 300);
}

}  // namespace
