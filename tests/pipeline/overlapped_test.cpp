// SPDX-License-Identifier: BSD-3-Clause
// Loops whose ranks agree on the end of a turn while they compute the next one: they do what waiting loops
// do.
#include <gtest/gtest.h>

#include <set>

#include "pipeline/array_source.hpp"
#include "pipeline/recording.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"
#include "tessera/pipeline/schedule/rounds.hpp"
#include "tessera/view/reductions.hpp"

namespace {

using namespace tessera;
using Number = std::int32_t;
using Numbers = Array<Number, 2>;

const Box image{{0, 9}, {-1, 7}};

/// The next iterate, and ten times this one.
struct Next {
  template <class U, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, Coord x, Coord y) const {
    return pack(max(u(x, y), u(x - 1, y)) + 1, u(x, y) * 10);
  }
};
struct Add {
  template <class A, class B, class Coord>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b, Coord x, Coord y) const {
    return a(x, y) + b(x, y);
  }
};
struct Twice {
  template <class V, class Coord>
  KOKKOS_FUNCTION auto operator()(const V& v, Coord) const {
    return v(0) * 2;
  }
};
struct IsAtLeast {
  Number bound;
  template <class V, class Coord>
  KOKKOS_FUNCTION auto operator()(const V& v, Coord) const {
    return cast<std::uint8_t>(select(v(0) >= bound, 1, 0));
  }
};
struct BothAreAtLeast {
  Number one, other;
  template <class V, class W, class Coord>
  KOKKOS_FUNCTION auto operator()(const V& v, const W& w, Coord) const {
    return cast<std::uint8_t>(select(v(0) >= one && w(0) >= other, 1, 0));
  }
};
struct FirstPoint {
  template <class U, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, Coord i) const {
    return u(i, i);
  }
};

/// What a run leaves: the turns of each loop, in the order in which they end, all that is told of turns, and
/// the outputs u and w.
struct Result {
  std::vector<std::int64_t> turns;
  std::string told;
  test::WholeArray<Number> u{image}, w{image};

  bool operator==(const Result& other) const {
    return turns == other.turns && told == other.told && u.same_bits(other.u) && w.same_bits(other.w);
  }
};

const LoopSchedule waits{}, overlaps{.overlaps_test = true};

/// Schedules of loops that run in rounds of any kind and overlap the tests of these rounds.
const std::vector<LoopSchedule> overlapped_rounds = {
    {.turns_per_test = 2, .overlaps_test = true},
    {.turns_per_test = 5, .overlaps_test = true},
    {.turns_per_exchange = 3, .overlaps_test = true},
    {.turns_per_exchange = 2, .turns_per_tile = 2, .turns_per_test = 4, .overlaps_test = true},
    {.turns_per_tile = 3, .overlaps_test = true}};

/// A pipeline with the iterates u and w, to which a test adds a loop with the name "inner".
struct Sample {
  Pipeline pipeline;
  Numbers u, w;
  /// The names of further iterates.
  std::vector<std::string> further = {};

  explicit Sample(Boundary boundary = Boundary::clamp)
      : u(pipeline.input<Number, 2>("u", image, boundary)),
        w(pipeline.input<Number, 2>("w", image, boundary)) {}

  /// Adds one more iterate.
  Numbers iterate(const std::string& name, Boundary boundary) {
    further.push_back(name);
    return pipeline.input<Number, 2>(name, image, boundary);
  }

  Rounds rounds(const LoopSchedule& inner) {
    Schedule schedule;
    schedule.loops["inner"] = inner;
    return in_rounds(pipeline, schedule);
  }
  void end() {
    pipeline.output(u);
    pipeline.output(w);
  }
  Result run(const LoopSchedule& inner, int ranks) {
    const Rounds made = rounds(inner);
    test::WholeArray<Number> start(image);
    start.at({{2, 3, 0, 0}}) = 3;
    test::ArraySource<Number> first(start), second(start), third(start);
    test::ArraySink<Number> u_sink(image), w_sink(image);
    Result result;
    Bindings bindings{{{"u", &first}, {"w", &second}}, {{"u", &u_sink}, {"w", &w_sink}}};
    for (const std::string& name : further) bindings.sources[name] = &third;
    bindings.before_turn = [&](const LoopProgress& progress) {
      result.told += "before " + std::to_string(progress.turns + 1) + "\n";
    };
    bindings.after_turn = [&](const LoopProgress& progress) {
      result.told += "after " + std::to_string(progress.turns) + ": " + std::to_string(progress.residual) +
                     (progress.has_converged ? ", converged\n" : "\n");
    };
    bindings.after_loop = [&](const LoopProgress& progress) { result.turns.push_back(progress.turns); };
    Rehearsal(made.pipeline, make_plans(made.pipeline, made.schedule, {}, ranks)).run(bindings);
    result.u = u_sink.array;
    result.w = w_sink.array;
    return result;
  }
  /// Returns why the inner loop cannot have the schedule `inner`.
  std::string refusal(const LoopSchedule& inner) {
    return test::message_of<ScheduleError>([&] { static_cast<void>(rounds(inner)); });
  }
};

/// The reason, as messages say it.
std::string only_waits(const std::string& reason) { return reason + ": only 'waits' is legal"; }

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
    for (const LoopSchedule& rounds : overlapped_rounds)
      EXPECT_EQ(sample.run(rounds, ranks), expected) << ranks;
  }
}

TEST(Overlapped, LoopsInLoops) {
  Sample sample;
  Pipeline& p = sample.pipeline;
  p.repeat("outer", 3, [&](const Pipeline::Loop& outer) {
    p.repeat("inner", 4, [&](const Pipeline::Loop& loop) {
      const auto [next, scaled] = p.stages<TypeList<Number, Number>>({"next", "scaled"}, Next(), sample.u);
      loop.until(
          p.value<std::uint8_t>("done", IsAtLeast{55}, p.reduce("most", Maximum<Number>(), scaled, image)));
      loop.feed(Numbers(next), sample.u);
    });
    outer.feed(p.stage<Number>("sum", Add(), sample.w, sample.u), sample.w);
  });
  sample.end();
  const Result expected = sample.run(waits, 2);
  EXPECT_EQ(expected.turns, (std::vector<std::int64_t>{4, 1, 1, 3}));
  for (const int ranks : {2, 3}) {
    EXPECT_EQ(sample.run(overlaps, ranks), expected);
    for (const LoopSchedule& rounds : overlapped_rounds) EXPECT_EQ(sample.run(rounds, ranks), expected);
  }
}

TEST(Overlapped, RoundsEndAtAnyTurn) {
  // The greatest point is 3 at first, and one more after each turn. A bound of 16 is not reached.
  for (Number bound = 4; bound <= 16; ++bound) {
    Sample sample;
    Pipeline& p = sample.pipeline;
    p.repeat("inner", 12, [&](const Pipeline::Loop& loop) {
      const auto [next, scaled] = p.stages<TypeList<Number, Number>>({"next", "scaled"}, Next(), sample.u);
      const auto most = p.reduce("most", Maximum<Number>(), next, image);
      loop.until(p.value<std::uint8_t>("done", IsAtLeast{bound}, most));
      loop.watch(p.reduce("sum", Sum<Number>(), scaled, image));
      loop.feed(Numbers(next), sample.u);
      loop.feed(p.stage<Number>("next sum", Add(), sample.w, scaled), sample.w);
    });
    sample.end();
    const Result expected = sample.run(waits, 1);
    EXPECT_EQ(expected.turns, (std::vector<std::int64_t>{std::min(bound - 3, 12)}));
    EXPECT_EQ(expected.told.find("converged") == std::string::npos, bound == 16);
    for (const LoopSchedule& rounds : overlapped_rounds) EXPECT_EQ(sample.run(rounds, 3), expected) << bound;
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
  for (const Boundary boundary : {Boundary::clamp, Boundary::periodic}) {
    std::set<std::int64_t> turns;
    for (const Number bound : {4, 9, 20, 90, 900, 5000}) {
      Sample sample(boundary);
      Pipeline& p = sample.pipeline;
      const auto turn = p.value<Number>("turn", None()), turn_before = p.value<Number>("turn before", None());
      p.repeat("inner", 12, [&](const Pipeline::Loop& loop) {
        const auto next = p.stage<Number>("next", NextByState(), sample.u, sample.w, turn, turn_before);
        const auto most = p.reduce("most", Maximum<Number>(), next, image);
        loop.until(p.value<std::uint8_t>("done", IsAtLeast{bound}, most));
        loop.feed(p.value<Number>("next turn", OneMore(), turn), turn);
        loop.feed(turn, turn_before);
        loop.feed(next, sample.u);
        loop.feed(sample.u, sample.w);
      });
      sample.end();
      const Result expected = sample.run(waits, 1);
      turns.insert(expected.turns.front());
      for (const LoopSchedule& rounds : overlapped_rounds)
        EXPECT_EQ(sample.run(rounds, 3), expected) << bound;
    }
    EXPECT_GT(turns.size(), 3u);
  }
}

/// The sum of the greatest of a point of the iterate and of the one before, and of the iterate before that.
struct NextOfThree {
  template <class U, class W, class V, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, const W& before, const V& oldest, Coord x, Coord y) const {
    return max(u(x - 1, y), before(x, y + 1)) + oldest(x + 1, y);
  }
};

TEST(Overlapped, RoundsKeepChainsOfThreeIterates) {
  for (const Boundary boundary : {Boundary::clamp, Boundary::periodic}) {
    std::set<std::int64_t> turns;
    for (const Number bound : {9, 60, 100000}) {
      Sample sample(boundary);
      Pipeline& p = sample.pipeline;
      const Numbers oldest = sample.iterate("oldest", boundary);
      p.repeat("inner", 12, [&](const Pipeline::Loop& loop) {
        const auto next = p.stage<Number>("next", NextOfThree(), sample.u, sample.w, oldest);
        loop.until(p.value<std::uint8_t>("done", IsAtLeast{bound},
                                         p.reduce("most", Maximum<Number>(), next, image)));
        loop.feed(next, sample.u);
        loop.feed(sample.u, sample.w);
        loop.feed(sample.w, oldest);
      });
      sample.end();
      const Result expected = sample.run(waits, 1);
      turns.insert(expected.turns.front());
      for (const LoopSchedule& rounds : overlapped_rounds)
        EXPECT_EQ(sample.run(rounds, 3), expected) << bound;
    }
    EXPECT_EQ(turns.size(), 3u);
  }
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
      loop.until(
          p.value<std::uint8_t>("done", IsAtLeast{bound}, p.reduce("most", Maximum<Number>(), next, image)));
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

/// Returns why an inner loop cannot overlap its test. This must not depend on whether its turns run one by
/// one or in rounds. The function `declare` declares the test of the inner loop, and `after` declares what
/// the outer loop computes behind the inner one.
template <class Declare, class After>
std::string refusal_with(const Declare& declare, const After& after) {
  Sample sample;
  Pipeline& p = sample.pipeline;
  p.repeat("outer", 2, [&](const Pipeline::Loop& outer) {
    Numbers scaled_once{};
    p.repeat("inner", 9, [&](const Pipeline::Loop& loop) {
      const auto [next, scaled] = p.stages<TypeList<Number, Number>>({"next", "scaled"}, Next(), sample.u);
      const auto most = p.reduce("most", Maximum<Number>(), next, image);
      declare(sample, loop, Numbers(next), Numbers(scaled), most);
      loop.feed(Numbers(next), sample.u);
      scaled_once = scaled;
    });
    after(sample, outer, scaled_once);
  });
  sample.end();
  const std::string refused = sample.refusal(overlaps);
  EXPECT_EQ(sample.refusal(overlapped_rounds.front()), refused);
  return refused;
}
const auto ends_right = [](Sample& s, const auto& loop, auto, auto, auto most) {
  loop.until(s.pipeline.template value<std::uint8_t>("done", IsAtLeast{5}, most));
};
const auto adds_up = [](Sample& s, const auto& outer, auto) {
  outer.feed(s.pipeline.template stage<Number>("sum", Add(), s.w, s.u), s.w);
};

TEST(Overlapped, WhatReadsOfATurnMoreIsRefused) {
  EXPECT_EQ(refusal_with(ends_right, adds_up), "nothing was thrown");
  EXPECT_EQ(
      refusal_with(ends_right, [](Sample& s, const auto& outer, auto scaled) { outer.feed(scaled, s.w); }),
      only_waits("the loop 'outer' takes 'scaled', which would be that of a turn more"));
  EXPECT_EQ(refusal_with(ends_right,
                         [](Sample& s, const auto& outer, auto scaled) {
                           outer.feed(s.pipeline.template stage<Number>("sum", Add(), s.w, scaled), s.w);
                         }),
            only_waits("'sum' reads 'scaled' after the loop, where it is that of a turn more"));
}

TEST(Overlapped, WhatNeedsWhatTheRanksAgreeOnIsRefused) {
  EXPECT_EQ(refusal_with(
                [](Sample& s, const auto& loop, auto, auto, auto most) {
                  const auto twice = s.pipeline.value<Number>("twice", Twice(), most);
                  const auto again = s.pipeline.reduce("again", Maximum<Number>(), twice, Box{{0, 1}});
                  loop.until(s.pipeline.value<std::uint8_t>("done", IsAtLeast{8}, again));
                },
                adds_up),
            only_waits("'again' reads 'twice': the next turn needs it"));
  EXPECT_EQ(refusal_with(
                [](Sample& s, const auto& loop, auto, auto scaled, auto most) {
                  const auto first = s.pipeline.value<Number>("first", FirstPoint(), scaled);
                  loop.until(s.pipeline.value<std::uint8_t>("done", BothAreAtLeast{5, 5}, most, first));
                },
                adds_up),
            only_waits("'done' reads 'first', which the next turn changes"));
}

TEST(Overlapped, LoopsWithoutATestOfReductionsAreRefused) {
  EXPECT_EQ(refusal_with([](Sample&, const auto&, auto, auto, auto) {}, adds_up),
            only_waits("the loop 'inner' has neither condition nor residual"));
  EXPECT_EQ(refusal_with(
                [](Sample& s, const auto& loop, auto, auto scaled, auto) {
                  loop.until(s.pipeline.value<std::uint8_t>(
                      "done", IsAtLeast{5}, s.pipeline.value<Number>("first", FirstPoint(), scaled)));
                },
                adds_up),
            only_waits("'done' does not follow from a reduction"));
  Sample sample;
  Pipeline& p = sample.pipeline;
  p.repeat("inner", 3, [&](const Pipeline::Loop& outer) {
    p.repeat("in it", 3, [&](const Pipeline::Loop& loop) {
      const auto [next, scaled] = p.stages<TypeList<Number, Number>>({"next", "scaled"}, Next(), sample.u);
      loop.feed(Numbers(next), sample.u);
    });
    outer.watch(p.reduce("most", Maximum<Number>(), sample.u, image));
    outer.feed(p.stage<Number>("sum", Add(), sample.w, sample.u), sample.w);
  });
  sample.end();
  EXPECT_EQ(sample.refusal(overlaps), only_waits("the loop 'inner' has the loop 'in it' in it"));
  EXPECT_EQ(sample.refusal(overlapped_rounds.front()),
            "the loop 'inner' has the loop 'in it' in it: its turns run one by one");
}

}  // namespace
