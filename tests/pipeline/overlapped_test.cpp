// SPDX-License-Identifier: BSD-3-Clause
// Loops whose ranks agree on the end of a turn while they compute the next one: they do what waiting loops
// do.
#include <gtest/gtest.h>

#include <set>

#include "pipeline/overlapped_sample.hpp"

namespace tessera::test::overlapped {
namespace {

/// Ends a loop after the turn in which the greatest point of `array` is at least `bound`.
void end_at(Pipeline& p, const Pipeline::Loop& loop, Number bound, Numbers array) {
  loop.until(
      p.value<std::uint8_t>("done", IsAtLeast{bound}, p.reduce("most", Maximum<Number>(), array, image)));
}

/// Expects rounds of any kind, on this many ranks, to have the effects `expected`.
void expect_in_rounds(Sample& sample, int ranks, const Result& expected) {
  for (const LoopSchedule& rounds : overlapped_rounds)
    EXPECT_EQ(sample.run(rounds, ranks), expected) << ranks;
}

/// Expects rounds of any kind to have the effects of loops that wait, for images with and without borders and
/// for each bound. `add` adds the loop to a sample. All bounds together make at least `different` numbers of
/// turns.
template <class Add>
void expect_for_bounds(const std::vector<Number>& bounds, std::size_t different, const Add& add) {
  for (const Boundary boundary : {Boundary::clamp, Boundary::periodic}) {
    std::set<std::int64_t> turns;
    for (const Number bound : bounds) {
      SCOPED_TRACE(bound);
      Sample sample(boundary);
      add(sample, boundary, bound);
      sample.end();
      const Result expected = sample.run(waits, 1);
      turns.insert(expected.turns.front());
      expect_in_rounds(sample, 3, expected);
    }
    EXPECT_GE(turns.size(), different);
  }
}

TEST(Overlapped, TestsOfSeveralReductionsWithValuesBetween) {
  Sample sample;
  Pipeline& p = sample.pipeline;
  p.repeat("inner", 30, [&](const Pipeline::Loop& loop) {
    const auto [next, scaled] = p.stages<TypeList<Number, Number>>({"next", "scaled"}, Next(), sample.u);
    const auto low = p.value<Number>("low", Twice(), p.reduce("least", Minimum<Number>(), next, image));
    const auto high = p.value<Number>("high", Twice(), p.reduce("most", Maximum<Number>(), scaled, image));
    const auto sum = p.value<std::int64_t>("total", Twice(), p.reduce("sum", Sum<Number>(), next, image));
    const auto enough = p.value<std::uint8_t>("enough", IsAtLeast{200}, sum);
    loop.until(p.value<std::uint8_t>("done", BothAreAtLeast{1, 1}, enough,
                                     p.value<std::uint8_t>("both", BothAreAtLeast{9, 120}, low, high)));
    loop.feed(Numbers(next), sample.u);
    loop.feed(p.stage<Number>("next sum", Add(), sample.w, scaled), sample.w);
  });
  sample.end();
  for (const int ranks : {1, 2, 5}) {
    const Result expected = sample.run(waits, ranks);
    EXPECT_EQ(expected.turns.size(), 1u);
    EXPECT_GT(expected.turns.front(), 3);
    EXPECT_LT(expected.turns.front(), 30);
    EXPECT_EQ(sample.run(overlaps, ranks), expected) << ranks;
    expect_in_rounds(sample, ranks, expected);
  }
}

TEST(Overlapped, LoopsInLoops) {
  Sample sample;
  Pipeline& p = sample.pipeline;
  p.repeat("outer", 3, [&](const Pipeline::Loop& outer) {
    p.repeat("inner", 4, [&](const Pipeline::Loop& loop) {
      const auto [next, scaled] = p.stages<TypeList<Number, Number>>({"next", "scaled"}, Next(), sample.u);
      end_at(p, loop, 55, scaled);
      loop.feed(Numbers(next), sample.u);
    });
    outer.feed(p.stage<Number>("sum", Add(), sample.w, sample.u), sample.w);
  });
  sample.end();
  const Result expected = sample.run(waits, 2);
  EXPECT_EQ(expected.turns, (std::vector<std::int64_t>{4, 1, 1, 3}));
  for (const int ranks : {2, 3}) {
    EXPECT_EQ(sample.run(overlaps, ranks), expected);
    expect_in_rounds(sample, ranks, expected);
  }
}

TEST(Overlapped, RoundsEndAtAnyTurn) {
  // The greatest point is 3 at first, and one more after each turn. A bound of 16 is not reached.
  for (Number bound = 4; bound <= 16; ++bound) {
    Sample sample;
    Pipeline& p = sample.pipeline;
    p.repeat("inner", 12, [&](const Pipeline::Loop& loop) {
      const auto [next, scaled] = p.stages<TypeList<Number, Number>>({"next", "scaled"}, Next(), sample.u);
      end_at(p, loop, bound, next);
      loop.watch(p.reduce("sum", Sum<Number>(), scaled, image));
      loop.feed(Numbers(next), sample.u);
      loop.feed(p.stage<Number>("next sum", Add(), sample.w, scaled), sample.w);
    });
    sample.end();
    const Result expected = sample.run(waits, 1);
    EXPECT_EQ(expected.turns, (std::vector<std::int64_t>{std::min(bound - 3, 12)}));
    EXPECT_EQ(expected.told.find("converged") == std::string::npos, bound == 16);
    expect_in_rounds(sample, 3, expected);
  }
}

/// The greatest of two points of the iterate and of the one before, and two numbers more.
struct NextByState {
  template <class U, class W, class V, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, const W& before, const V& turns, const V& turns_before, Coord x,
                                  Coord y) const {
    return max(u(x - 1, y), before(x, y + 1)) + turns(0) - turns_before(0);
  }
};
struct OneMore {
  template <class V, class Coord>
  KOKKOS_FUNCTION auto operator()(const V& v, Coord) const {
    return v(0) * 2 + 1;
  }
};
struct None {
  template <class Coord>
  KOKKOS_FUNCTION Number operator()(Coord) const {
    return 0;
  }
};

TEST(Overlapped, RoundsKeepWhatIsFedOn) {
  expect_for_bounds({4, 9, 20, 90, 900, 5000}, 4, [](Sample& sample, Boundary, Number bound) {
    Pipeline& p = sample.pipeline;
    const auto turn = p.value<Number>("turn", None()), turn_before = p.value<Number>("turn before", None());
    p.repeat("inner", 12, [&](const Pipeline::Loop& loop) {
      const auto next = p.stage<Number>("next", NextByState(), sample.u, sample.w, turn, turn_before);
      end_at(p, loop, bound, next);
      loop.feed(p.value<Number>("next turn", OneMore(), turn), turn);
      loop.feed(turn, turn_before);
      loop.feed(next, sample.u);
      loop.feed(sample.u, sample.w);
    });
  });
}

/// The sum of the greatest of a point of the iterate and of the one before, and of the iterate before that.
struct NextOfThree {
  template <class U, class W, class V, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, const W& before, const V& oldest, Coord x, Coord y) const {
    return max(u(x - 1, y), before(x, y + 1)) + oldest(x + 1, y);
  }
};

TEST(Overlapped, RoundsKeepChainsOfThreeIterates) {
  expect_for_bounds({9, 60, 100000}, 3, [](Sample& sample, Boundary boundary, Number bound) {
    Pipeline& p = sample.pipeline;
    const Numbers oldest = sample.iterate("oldest", boundary);
    p.repeat("inner", 12, [&](const Pipeline::Loop& loop) {
      const auto next = p.stage<Number>("next", NextOfThree(), sample.u, sample.w, oldest);
      end_at(p, loop, bound, next);
      loop.feed(next, sample.u);
      loop.feed(sample.u, sample.w);
      loop.feed(sample.w, oldest);
    });
  });
}

struct Greater {
  template <class V, class W, class Coord>
  KOKKOS_FUNCTION auto operator()(const V& v, const W& w, Coord) const {
    return max(v(0), w(0)) + 1;
  }
};
struct Less {
  template <class V, class W, class Coord>
  KOKKOS_FUNCTION auto operator()(const V& v, const W& w, Coord) const {
    return min(v(0), w(0)) - 1;
  }
};

TEST(Overlapped, StatesThatFollowFromEachOtherRunInLongRounds) {
  // There are 2 to the power of 32 ways from the last value of a round back to the first ones.
  for (const Number bound : {900, 3000}) {
    Sample sample;
    Pipeline& p = sample.pipeline;
    const auto high = p.value<Number>("high", None()), low = p.value<Number>("low", None());
    p.repeat("inner", 70, [&](const Pipeline::Loop& loop) {
      const auto next = p.stage<Number>("next", NextByState(), sample.u, sample.w, high, low);
      end_at(p, loop, bound, next);
      loop.feed(p.value<Number>("next high", Greater(), high, low), high);
      loop.feed(p.value<Number>("next low", Less(), high, low), low);
      loop.feed(next, sample.u);
      loop.feed(sample.u, sample.w);
    });
    sample.end();
    const Result expected = sample.run(waits, 1);
    EXPECT_GT(expected.turns.front(), 29);
    EXPECT_LT(expected.turns.front(), 70);
    EXPECT_EQ(sample.run({.turns_per_test = 32, .overlaps_test = true}, 2), expected) << bound;
  }
}

/// A thousand times the point.
struct Grow {
  template <class U, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, Coord x, Coord y) const {
    return u(x, y) * 1e3f;
  }
};

TEST(Overlapped, RoundsNameTheTurnWhoseResidualIsNotFinite) {
  Pipeline p;
  const auto u = p.input<float, 2>("u", image, Boundary::clamp);
  p.repeat("inner", 40, [&](const Pipeline::Loop& loop) {
    const auto next = p.stage<float>("next", Grow(), u);
    loop.watch(p.reduce("norm", MaximumNorm<float>(), next, image));
    loop.feed(next, u);
  });
  p.output(u);
  test::WholeArray<float> start(image);
  start.at({{2, 3, 0, 0}}) = 2;
  const auto error = [&](const LoopSchedule& inner, std::int64_t& turns) {
    Schedule schedule;
    schedule.loops["inner"] = inner;
    const Rounds made = in_rounds(p, schedule);
    test::ArraySource<float> source(start);
    Bindings bindings{{{"u", &source}}, {}};
    bindings.after_turn = [&](const LoopProgress& progress) { turns = progress.turns; };
    Rehearsal rehearsal(made.pipeline, make_plans(made.pipeline, made.schedule, {}, 3));
    return test::message_of<DivergedError>([&] { rehearsal.run(bindings); });
  };
  std::int64_t expected_turns = 0;
  const std::string expected = error(waits, expected_turns);
  EXPECT_NE(expected.find("after turn 13 its residual 'norm' is inf"), std::string::npos) << expected;
  EXPECT_EQ(expected_turns, 13);
  for (const LoopSchedule& rounds : overlapped_rounds) {
    std::int64_t turns = 0;
    EXPECT_EQ(error(rounds, turns), expected);
    EXPECT_EQ(turns, expected_turns);
  }
}

}  // namespace
}  // namespace tessera::test::overlapped
