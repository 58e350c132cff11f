// SPDX-License-Identifier: BSD-3-Clause
// Loops that pipelines declare: planned, run and rehearsed, against the formal semantics of the paper.
#include <gtest/gtest.h>

#include <set>

#include "pipeline/flood_sample.hpp"
#include "pipeline/world.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/plan_instance.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"
#include "tessera/pipeline/schedule/rounds.hpp"

namespace {

using namespace tessera;
using test::FloodSample;
using test::Point;
using Image = test::WholeArray<std::int32_t>;
using Source = test::ArraySource<std::int32_t>;
using Sink = test::ArraySink<std::int32_t>;

#ifdef TESSERA_TEST_FEWER
constexpr int rehearsals = 80, runs = 15;
#else
constexpr int rehearsals = 200, runs = 40;
#endif

/// Expects a loop to count its turns one by one while it runs.
struct Listener {
  LoopProgress last;
  std::int64_t turns = 0;
  int loops = 0;

  void listen(Bindings& bindings) {
    bindings.before_turn = [this](const LoopProgress& progress) { EXPECT_EQ(progress.turns, turns); };
    bindings.after_turn = [this](const LoopProgress& progress) { EXPECT_EQ(progress.turns, ++turns); };
    bindings.after_loop = [this](const LoopProgress& progress) {
      last = progress;
      ++loops;
    };
  }
};

Target random_target(test::Random& random) {
  Target target;
  target.threads = random.small(1, 2);
  target.device = !runs_on_host || random.chance(30);
  target.cache_bytes = random.chance(50) ? 64 : 0;
  return target;
}

/// A random schedule, in half of all cases with rounds. `text` says which.
Rounds random_rounds(test::Random& random, const Algorithm& pipeline, std::string& text) {
  Schedule schedule = test::random_schedule(random, pipeline);
  if (random.chance(50)) test::add_random_rounds(random, pipeline, schedule);
  text = test::to_string(schedule);
  return in_rounds(pipeline, schedule);
}

std::int64_t wrong_points(const Image& expected, const Sink& sink, const Box& owned) {
  std::int64_t wrong = 0;
  test::for_each_point(expected.box, [&](const Point& p) {
    const bool mine = contains(owned, p);
    wrong += sink.writes.at(p) != (mine ? 1 : 0) || (mine && sink.array.at(p) != expected.at(p));
  });
  return wrong;
}

TEST(Repeat, ARehearsalDoesWhatThePaperSays) {
  test::Random random(611);
  for (int i = 0; i < rehearsals; ++i) {
    const FloodSample sample(random);
    std::string text;
    const Rounds rounds = random_rounds(random, sample.pipeline, text);
    LoopProgress expected;
    const Image iterate = sample.expected(expected), after = sample.after(iterate);
    Source seed(sample.seed), mask(sample.mask);
    Sink last(sample.box), slope(sample.box);
    Bindings bindings{{{"seed", &seed}, {"mask", &mask}}, {{sample.iterate(), &last}, {"after", &slope}}};
    Listener listener;
    listener.listen(bindings);
    const int ranks = test::random_rank_count(random);
    Rehearsal(rounds.pipeline, make_plans(rounds.pipeline, rounds.schedule, random_target(random), ranks))
        .run(bindings);
    text = sample.text() + "; " + text + " on " + std::to_string(ranks);
    EXPECT_EQ(wrong_points(iterate, last, sample.box), 0) << text;
    EXPECT_EQ(wrong_points(after, slope, sample.box), 0) << text;
    EXPECT_EQ(listener.last.turns, expected.turns) << text;
    EXPECT_EQ(listener.last.has_converged, expected.has_converged) << text;
    EXPECT_EQ(listener.last.residual, expected.residual) << text;
    EXPECT_EQ(listener.loops, 1) << text;
  }
}

/// A stream of items for a loop, each with an end of its own. Each result is compared with the paper's
/// rules.
class FloodStream {
 public:
  FloodStream(FloodSample& sample, std::uint64_t seed, std::string text)
      : sample_(sample), random_(seed), text_(std::move(text)) {
    iterate_owned = after_owned = sample.box;
  }

  Box iterate_owned, after_owned;

  /// Runs an instance or a rehearsal for all items.
  void run(auto&& runner) {
    Bindings bindings{{{"seed", &seed_}, {"mask", &mask_}},
                      {{sample_.iterate(), &iterate_}, {"after", &after_}}};
    listener_.listen(bindings);
    while (next()) runner.run(bindings);
  }
  /// How many turns each item took.
  const std::vector<std::int64_t>& turns() const { return turns_; }

 private:
  bool next() {
    if (is_begun_) expect_result();
    if (turns_.size() == 4) return false;
    test::for_each_point(sample_.box, [&](const Point& p) {
      sample_.mask.at(p) = static_cast<std::int32_t>(random_.between(0, 99));
      sample_.seed.at(p) = random_.chance(10) ? static_cast<std::int32_t>(random_.between(0, 99)) : 0;
    });
    iterate_ = after_ = Sink(sample_.box);
    listener_.turns = listener_.loops = 0;
    return is_begun_ = true;
  }

  void expect_result() {
    LoopProgress expected;
    const Image iterate = sample_.expected(expected);
    const std::string text = text_ + ", item " + std::to_string(turns_.size());
    EXPECT_EQ(wrong_points(iterate, iterate_, iterate_owned), 0) << text;
    EXPECT_EQ(wrong_points(sample_.after(iterate), after_, after_owned), 0) << text;
    EXPECT_EQ(listener_.last.turns, expected.turns) << text;
    EXPECT_EQ(listener_.last.residual, expected.residual) << text;
    EXPECT_EQ(listener_.loops, 1) << text;
    turns_.push_back(expected.turns);
  }

  FloodSample& sample_;
  test::Random random_;
  std::string text_;
  Source seed_{sample_.seed}, mask_{sample_.mask};
  Sink iterate_{sample_.box}, after_{sample_.box};
  Listener listener_;
  std::vector<std::int64_t> turns_;
  bool is_begun_ = false;
};

TEST(Repeat, EveryItemOfAStreamEndsByItself) {
  test::Random random(613);
  int with_ends_of_their_own = 0;
  for (int i = 0; i < runs; ++i) {
    FloodSample sample(random);
    std::string text;
    const auto [pipeline, schedule] = random_rounds(random, sample.pipeline, text);
    text = sample.text() + "; " + text;
    const Target target = random_target(random);
    const int ranks = test::random_rank_count(random);
    const auto seed = static_cast<std::uint64_t>(i);
    FloodStream rehearsed(sample, seed, text + " on " + std::to_string(ranks));
    rehearsed.run(Rehearsal(pipeline, make_plans(pipeline, schedule, target, ranks)));
    with_ends_of_their_own += std::set(rehearsed.turns().begin(), rehearsed.turns().end()).size() > 1;

    const Plan plan = make_plan(pipeline, schedule, target, test::world_size(), test::world_rank());
    FloodStream run(sample, seed, text);
    const auto owned = [&, &pipeline = pipeline](const std::string& name) {
      return plan.stages[pipeline.find(name)].owned;
    };
    run.iterate_owned = owned(sample.iterate());
    run.after_owned = owned("after");
    run.run(PlanInstance(pipeline, plan, MPI_COMM_WORLD));
    EXPECT_EQ(run.turns(), rehearsed.turns()) << text;
    EXPECT_EQ(run.turns().size(), 4u);
  }
  EXPECT_GT(with_ends_of_their_own, runs / 4);
}

TEST(Repeat, RanksDoWhatThePaperSays) {
  test::Random random(612);
  for (int i = 0; i < runs; ++i) {
    const FloodSample sample(random);
    std::string text;
    const auto [pipeline, schedule] = random_rounds(random, sample.pipeline, text);
    text = sample.text() + "; " + text;
    const Plan plan =
        make_plan(pipeline, schedule, random_target(random), test::world_size(), test::world_rank());
    LoopProgress expected;
    const Image iterate = sample.expected(expected), after = sample.after(iterate);
    PlanInstance instance(
        pipeline, plan, MPI_COMM_WORLD, {true, random.chance(30)},
        plan.target.device || random.chance(50) ? HostMode::kernels : HostMode::calling_thread);
    // One instance takes item after item.
    for (int item = 0; item < 2; ++item) {
      Source seed(sample.seed), mask(sample.mask);
      Sink last(sample.box), slope(sample.box);
      Bindings bindings{{{"seed", &seed}, {"mask", &mask}}, {{sample.iterate(), &last}, {"after", &slope}}};
      Listener listener;
      listener.listen(bindings);
      instance.run(bindings);
      const auto owned = [&, &pipeline = pipeline](const std::string& name) {
        return plan.stages[pipeline.find(name)].owned;
      };
      EXPECT_EQ(wrong_points(iterate, last, owned(sample.iterate())), 0) << text;
      EXPECT_EQ(wrong_points(after, slope, owned("after")), 0) << text;
      EXPECT_EQ(listener.last.turns, expected.turns) << text;
      EXPECT_EQ(listener.last.has_converged, expected.has_converged) << text;
    }
  }
}

/// Levels of water: the outer loop raises the level, the inner one floods under it until nothing changes.
struct UnderLevel {
  template <class Mask, class Level, class Coord>
  KOKKOS_FUNCTION auto operator()(const Mask& mask, const Level& level, Coord x, Coord y) const {
    return min(mask(x, y), level(0));
  }
};
struct Same {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(x, y);
  }
};
struct FirstLevel {
  template <class Coord>
  KOKKOS_FUNCTION std::int32_t operator()(Coord) const {
    return 10;
  }
};
struct NextLevel {
  template <class Level, class Amount, class Coord>
  KOKKOS_FUNCTION auto operator()(const Level& level, const Amount& amount, Coord) const {
    return level(0) + 10 + cast<std::int32_t>(amount(0) % 7);
  }
};
struct IsHigh {
  template <class Level, class Coord>
  KOKKOS_FUNCTION auto operator()(const Level& level, Coord) const {
    return select(level(0) >= 80, 1, 0);
  }
};

struct Levels {
  Box box;
  Image seed, mask;
  Pipeline pipeline;

  explicit Levels(test::Random& random) : box(random.box(2, -3, 2, 14)), seed(box), mask(box) {
    test::for_each_point(box, [&](const Point& p) {
      mask.at(p) = static_cast<std::int32_t>(random.between(0, 99));
      seed.at(p) = random.chance(10) ? mask.at(p) : 0;
    });
    const auto u = pipeline.input<std::int32_t, 2>("seed", box, Boundary::clamp);
    const auto cover = pipeline.input<std::int32_t, 2>("mask", box);
    const auto level = pipeline.value<std::int32_t>("level", FirstLevel());
    pipeline.repeat("levels", 20, [&](const Pipeline::Loop& outer) {
      const auto limit = pipeline.stage<std::int32_t>("limit", UnderLevel(), cover, level);
      const auto v = pipeline.stage<std::int32_t>("flooded", Same(), u);
      pipeline.bound(v, box, Boundary::clamp);
      pipeline.repeat("flood", 1000, [&](const Pipeline::Loop& inner) {
        const auto next = pipeline.stage<std::int32_t>("next", test::Flood{false}, v, limit);
        const auto change = pipeline.stage<std::int32_t>("change", test::HasChanged(), next, v);
        const auto changed = pipeline.reduce("changed", Sum<std::int32_t>(), change, box);
        inner.until(pipeline.value<std::uint8_t>("still", test::HasEnded{true, 0}, changed));
        inner.feed(next, v);
      });
      const auto amount = pipeline.reduce("amount", Sum<std::int32_t>(), v, box);
      const auto higher = pipeline.value<std::int32_t>("higher", NextLevel(), level, amount);
      outer.until(pipeline.value<std::uint8_t>("high", IsHigh(), higher));
      outer.feed(v, u);
      outer.feed(higher, level);
    });
    pipeline.output(u);
  }

  /// Also the turns of the inner loop, per turn of the outer one.
  Image expected(std::vector<std::int64_t>& turns) const {
    Image u = seed;
    std::int32_t level = 10;
    for (bool is_high = false; !is_high;) {
      std::int64_t amount = 0;
      turns.push_back(0);
      for (bool changed = true; changed;) {
        Image next(box);
        changed = false;
        amount = 0;
        test::for_each_point(box, [&](const Point& p) {
          const auto at = [&](std::int64_t dx, std::int64_t dy) {
            return u.clamped({{p[0] + dx, p[1] + dy, 0, 0}});
          };
          next.at(p) =
              std::min({std::max({at(-1, 0), at(0, 0), at(0, 1), at(2, 0), at(0, -1)}), mask.at(p), level});
          changed = changed || next.at(p) != u.at(p);
          amount += next.at(p);
        });
        u = next;
        ++turns.back();
      }
      level += 10 + static_cast<std::int32_t>(amount % 7);
      is_high = level >= 80 || turns.size() == 20;
    }
    return u;
  }
};

TEST(Repeat, LoopsInLoopsEndByTheirOwnConditions) {
  test::Random random(614);
  bool counts_differ = false;
  for (int i = 0; i < 10; ++i) {
    const Levels levels(random);
    std::vector<std::int64_t> expected_turns, turns;
    const Image expected = levels.expected(expected_turns);
    std::string text;
    const auto [pipeline, schedule] = random_rounds(random, levels.pipeline, text);
    Source seed(levels.seed), mask(levels.mask);
    Sink last(levels.box);
    Bindings bindings{{{"seed", &seed}, {"mask", &mask}}, {{"seed", &last}}};
    bindings.after_loop = [&turns](const LoopProgress& progress) {
      if (progress.loop != 0) turns.push_back(progress.turns);
    };
    const int ranks = random.small(1, 12);
    Rehearsal(pipeline, make_plans(pipeline, schedule, random_target(random), ranks)).run(bindings);
    EXPECT_EQ(wrong_points(expected, last, levels.box), 0) << text << " on " << ranks;
    EXPECT_EQ(turns, expected_turns);
    counts_differ =
        counts_differ || std::ranges::adjacent_find(turns, std::ranges::not_equal_to()) != turns.end();
  }
  EXPECT_TRUE(counts_differ);
}

TEST(Repeat, RanksRunLoopsInLoops) {
  test::Random random(615);
  for (int i = 0; i < 10; ++i) {
    const Levels levels(random);
    std::vector<std::int64_t> expected_turns, turns;
    const Image expected = levels.expected(expected_turns);
    std::string text;
    const auto [pipeline, schedule] = random_rounds(random, levels.pipeline, text);
    const Plan plan =
        make_plan(pipeline, schedule, random_target(random), test::world_size(), test::world_rank());
    Source seed(levels.seed), mask(levels.mask);
    Sink last(levels.box);
    Bindings bindings{{{"seed", &seed}, {"mask", &mask}}, {{"seed", &last}}};
    bindings.after_loop = [&turns](const LoopProgress& progress) {
      if (progress.loop != 0) turns.push_back(progress.turns);
    };
    PlanInstance(pipeline, plan, MPI_COMM_WORLD).run(bindings);
    EXPECT_EQ(wrong_points(expected, last, plan.stages[ArrayId{0}].owned), 0) << text;
    EXPECT_EQ(turns, expected_turns);
  }
}

/// The wave equation: the iterate before the last is needed, too.
struct Wave {
  template <class U, class Before, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, const Before& before, Coord x, Coord y) const {
    return u(x - 1, y) + u(x + 1, y) + u(x, y - 1) + u(x, y + 1) - u(x, y) * 2u - before(x, y);
  }
};

struct IsAbove {
  std::uint32_t threshold;
  template <class Most, class Coord>
  KOKKOS_FUNCTION auto operator()(const Most& most, Coord) const {
    return select(most(0) >= threshold, 1, 0);
  }
};

TEST(Repeat, WhatIsFedOnKeepsTheIterateBefore) {
  test::Random random(616);
  for (int i = 0; i < 40; ++i) {
    const Box box = random.box(2, -3, 2, 20);
    test::WholeArray<std::uint32_t> u(box), before(box);
    for (std::uint32_t& value : u.values) value = static_cast<std::uint32_t>(random.between(0, 1 << 30));
    Pipeline pipeline;
    const auto boundary =
        random.one_of<Boundary>({Boundary::periodic, Boundary::clamp, Boundary::mirror_interior});
    const auto now = pipeline.input<std::uint32_t, 2>("now", box, boundary);
    const auto past = pipeline.input<std::uint32_t, 2>("past", box);
    const std::int64_t turns = random.between(1, 12);
    // Reached after some turns: the values are as good as random.
    const auto threshold = 0xffffffffu - 0xffffffffu / static_cast<std::uint32_t>(3 * box.size());
    pipeline.repeat("wave", turns, [&](const Pipeline::Loop& loop) {
      const auto next = pipeline.stage<std::uint32_t>("next", Wave(), now, past);
      const auto most = pipeline.reduce("most", Maximum<std::uint32_t>(), next, box);
      loop.until(pipeline.value<std::uint8_t>("above", IsAbove{threshold}, most));
      loop.feed(next, now);
      loop.feed(now, past);
    });
    pipeline.output(now);
    pipeline.output(past);
    test::ArraySource<std::uint32_t> first(u), zeros(before);
    test::ArraySink<std::uint32_t> last(box), last_but_one(box);
    std::string text;
    const Rounds rounds = random_rounds(random, pipeline, text);
    Rehearsal(rounds.pipeline, make_plans(rounds.pipeline, rounds.schedule, random_target(random),
                                          test::random_rank_count(random)))
        .run({{{"now", &first}, {"past", &zeros}}, {{"now", &last}, {"past", &last_but_one}}});
    bool is_above = false;
    for (std::int64_t turn = 0; turn < turns && !is_above; ++turn) {
      test::WholeArray<std::uint32_t> next(box);
      test::for_each_point(box, [&](const Point& p) {
        const auto at = [&](std::int64_t dx, std::int64_t dy) {
          return u.bounded(boundary, {{p[0] + dx, p[1] + dy, 0, 0}});
        };
        next.at(p) = at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1) - at(0, 0) * 2u - before.at(p);
      });
      before = u;
      u = next;
      is_above = std::ranges::max(u.values) >= threshold;
    }
    EXPECT_TRUE(last.array.same_bits(u)) << turns << " turns; " << text;
    EXPECT_TRUE(last_but_one.array.same_bits(before)) << turns << " turns; " << text;
  }
}

}  // namespace
