// SPDX-License-Identifier: BSD-3-Clause
// Functions that read the arrays of a loop after some of its turns, on the ranks that there are.
#include "pipeline/random_run.hpp"
#include "pipeline/world.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/run/plan_instance.hpp"
#include "tessera/view/reductions.hpp"

namespace {

using namespace tessera;
using test::Point;
using Image = test::WholeArray<std::int32_t>;

/// The greatest of four neighbours, less half of the point itself, and the same once more.
struct Step {
  template <class U, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, Coord x, Coord y) const {
    const auto next = max(max(u(x - 1, y), u(x + 1, y)), max(u(x, y - 1), u(x, y + 1))) - u(x, y) / 2;
    return pack(next, next);
  }
};
/// A stage outside of all rounds, which reads an iterate and an array that nothing else reads.
struct Shown {
  template <class U, class Mask, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, const Mask& mask, Coord x, Coord y) const {
    return u(x, y) + mask(x + 1, y - 1);
  }
};
struct IsAbove {
  std::int32_t limit;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord) const {
    return select(in(0) > limit, 1, 0);
  }
};

Image after_step(const Image& u) {
  return test::made(u.box, [&](const Point& p) {
    const auto at = [&](std::int64_t dx, std::int64_t dy) { return u.clamped(test::moved(p, dx, dy)); };
    return std::max({at(-1, 0), at(1, 0), at(0, -1), at(0, 1)}) - at(0, 0) / 2;
  });
}

/// A pipeline with a loop that ends when an iterate has a point above `limit`, and the first iterate of this
/// loop. Tests look at the iterate after every turn whose number is a multiple of `every`, and after the turn
/// `most`. If `shows` is true, the loop has a stage that is an output.
struct Sample {
  explicit Sample(test::Random& random, bool shows = true)
      : box(random.box(2, -3, 1, 12)),
        first(test::random_image(random, box)),
        mask(test::random_image(random, box)),
        most(random.between(1, 25)),
        limit(random.small(500, 4000)),
        every(random.between(1, 7)) {
    const auto u = pipeline.input<std::int32_t, 2>("u", box, Boundary::clamp);
    Array<std::int32_t, 2> cover;
    if (shows) cover = pipeline.input<std::int32_t, 2>("mask", box, Boundary::clamp);
    pipeline.repeat("steps", most, [&](const Pipeline::Loop& loop) {
      const auto [next, change] =
          pipeline.stages<TypeList<std::int32_t, std::int32_t>>({"next", "change"}, Step(), u);
      const auto greatest = pipeline.reduce("greatest", Maximum<std::int32_t>(), change, box);
      loop.watch(greatest);
      loop.until(pipeline.value<std::uint8_t>("above", IsAbove{limit}, greatest));
      if (shows) pipeline.output(pipeline.stage<std::int32_t>("shown", Shown(), u, cover), box);
      loop.feed(next, u);
    });
    pipeline.output(u);
  }

  bool is_above(const Image& iterate) const { return std::ranges::max(iterate.values) > limit; }
  bool looks_after(std::int64_t turn) const { return turn % every == 0 || turn == most; }

  Box box;
  Image first;
  Image mask;
  std::int64_t most;
  std::int32_t limit;
  std::int64_t every;
  Pipeline pipeline;
};

/// Compares the arrays that are looked at with those of plain loops.
class Looker {
 public:
  Looker(const Sample& sample, const Algorithm& pipeline, const Plan& plan, std::string text)
      : sample_(sample),
        array_(pipeline.find("u")),
        owned_(plan.stages[array_].owned),
        text_(std::move(text)),
        now_(sample.first) {}

  int looks = 0;

  void bind(Bindings& bindings) {
    bindings.looks_after = [this](int, std::int64_t turn) { return sample_.looks_after(turn); };
    bindings.after_turn = [this](const LoopProgress& progress) {
      EXPECT_EQ(progress.turns, ++told_) << text_;
      if (sample_.looks_after(told_)) ++wanted_;
    };
    bindings.look = [this](const LoopProgress& progress, const StoreArray& store) {
      EXPECT_EQ(++looks, wanted_) << text_;
      EXPECT_EQ(progress.turns, told_) << text_;
      for (; turns_ < progress.turns; ++turns_) now_ = after_step(now_);
      test::ArraySink<std::int32_t> sink(sample_.box);
      store(array_, sink);
      std::int64_t wrong = 0;
      test::for_each_point(sample_.box, [&](const Point& p) {
        if (contains(owned_, p)) wrong += sink.array.at(p) != now_.at(p) ? 1 : 0;
      });
      EXPECT_EQ(wrong, 0) << "after turn " << turns_ << "; " << text_;
    };
    bindings.after_loop = [this](const LoopProgress& progress) {
      EXPECT_EQ(looks, wanted_) << text_;
      EXPECT_EQ(progress.turns, told_) << text_;
    };
  }

 private:
  const Sample& sample_;
  ArrayId array_;
  Box owned_;
  std::string text_;
  Image now_;
  std::int64_t turns_ = 0, told_ = 0;
  int wanted_ = 0;
};

TEST(Look, ArraysAreThoseOfTheTurnAlsoInsideRounds) {
  test::Random random(617);
  const int rank = test::world_rank(), ranks = test::world_size();
  int looks = 0, ended_early = 0;
  for (int i = 0; i < 60; ++i) {
    const Sample sample(random);
    Schedule schedule = test::random_schedule(random, sample.pipeline);
    if (random.chance(80)) test::add_random_rounds(random, sample.pipeline, schedule);
    const Rounds rounds = in_rounds(sample.pipeline, schedule);
    const Plan plan = make_plan(rounds.pipeline, rounds.schedule, {}, ranks, rank);
    PlanInstance instance(rounds.pipeline, plan, MPI_COMM_WORLD);
    test::ArraySource<std::int32_t> source(sample.first), mask(sample.mask);
    test::ArraySink<std::int32_t> sink(sample.box), shown(sample.box);
    Bindings bindings{{{"u", &source}, {"mask", &mask}}, {{"u", &sink}, {"shown", &shown}}};
    Looker looker(sample, rounds.pipeline, plan, test::to_string(schedule));
    looker.bind(bindings);
    std::int64_t turns = 0;
    const auto after_loop = bindings.after_loop;
    bindings.after_loop = [&](const LoopProgress& progress) {
      after_loop(progress);
      turns = progress.turns;
    };
    instance.run(bindings);
    Image expected = sample.first, before = expected;
    for (std::int64_t turn = 0; turn < turns; ++turn) before = std::exchange(expected, after_step(expected));
    const Box& owned = plan.stages[rounds.pipeline.find("shown")].owned;
    std::int64_t wrong = 0;
    test::for_each_point(owned, [&](const Point& p) {
      wrong += shown.array.at(p) != before.at(p) + sample.mask.clamped(test::moved(p, 1, -1)) ? 1 : 0;
    });
    EXPECT_EQ(wrong, 0) << test::to_string(schedule);
    EXPECT_TRUE(sample.is_above(expected) || turns == sample.most);
    looks += looker.looks;
    ended_early += turns < sample.most ? 1 : 0;
  }
  EXPECT_GT(looks, 60);
  EXPECT_GT(ended_early, 5);
}

/// A run of the sample in rounds, which begins after `turns` turns with the iterate `begin`.
class ResumedRun {
 public:
  ResumedRun(const Sample& sample, const Rounds& rounds, const Plan& plan, bool looks)
      : sample_(sample), rounds_(rounds), plan_(plan), looks_(looks) {}

  /// Runs the loop. Compares what is kept and looked at between turns, how often this happens, and the
  /// result.
  void run(std::int64_t turns, const Image& begin, const std::vector<Image>& iterates) const {
    const ArrayId u = rounds_.pipeline.find("u");
    const Box& owned = plan_.stages[u].owned;
    const auto expect = [&](const Image& image, const Image& expected, std::int64_t turn) {
      std::int64_t wrong = 0;
      test::for_each_point(owned, [&](const Point& p) { wrong += image.at(p) != expected.at(p) ? 1 : 0; });
      EXPECT_EQ(wrong, 0) << "after turn " << turn << " of a run from turn " << turns << " on";
    };
    std::vector<std::int64_t> kept_after, looked_after;
    const auto compare = [&](const LoopProgress& progress, const StoreArray& store) {
      test::ArraySink<std::int32_t> sink(sample_.box);
      store(u, sink);
      expect(sink.array, iterates.at(static_cast<std::size_t>(progress.turns)), progress.turns);
    };
    test::ArraySource<std::int32_t> first(sample_.first), kept(begin);
    test::ArraySink<std::int32_t> sink(sample_.box);
    Bindings bindings{{{"u", &first}}, {{"u", &sink}}};
    bindings.resume_loop = [&](int, const LoadArray& load) {
      if (turns > 0) load(u, kept);
      return turns;
    };
    bindings.keep_loop = [&](const LoopProgress& progress, const StoreArray& store) {
      kept_after.push_back(progress.turns);
      compare(progress, store);
    };
    if (looks_) {
      bindings.looks_after = [&](int, std::int64_t turn) { return sample_.looks_after(turn); };
      bindings.look = [&](const LoopProgress& progress, const StoreArray& store) {
        looked_after.push_back(progress.turns);
        compare(progress, store);
      };
    }
    std::int64_t ended = 0;
    bindings.after_loop = [&](const LoopProgress& progress) { ended = progress.turns; };
    PlanInstance(rounds_.pipeline, plan_, MPI_COMM_WORLD).run(bindings);
    EXPECT_EQ(ended, static_cast<std::int64_t>(iterates.size()) - 1);
    expect(sink.array, iterates.back(), ended);
    EXPECT_EQ(kept_after, expected_keeps(turns, ended, sample_.is_above(iterates.back())));
    EXPECT_EQ(looked_after, expected_looks(turns, ended));
  }

 private:
  /// Returns the turns after which somebody looks at a run from turn `begin` to turn `end`.
  std::vector<std::int64_t> expected_looks(std::int64_t begin, std::int64_t end) const {
    std::vector<std::int64_t> turns;
    for (std::int64_t turn = begin + 1; turn <= end && looks_; ++turn)
      if (sample_.looks_after(turn)) turns.push_back(turn);
    return turns;
  }

  /// Returns the turns after which a run from turn `begin` to turn `end` is kept: those that end a round, or
  /// a turn that runs alone, except for the turn at which the condition holds.
  std::vector<std::int64_t> expected_keeps(std::int64_t begin, std::int64_t end, bool holds) const {
    const LoopDeclaration& first = rounds_.pipeline.loops().front();
    bool has_rounds = first.rounds_of >= 0;
    std::vector<std::int64_t> turns;
    for (std::int64_t turn = begin; turn < end;) {
      const std::int64_t next = turn + first.turns;
      if (has_rounds && next <= first.maximum && expected_looks(turn, next - 1).empty()) {
        // A round in which the condition holds is taken back, and the turns that are left run one by one.
        has_rounds = !holds || next < end;
        if (has_rounds) turn = next;
      } else {
        ++turn;
      }
      if (turn > begin && !(holds && turn == end) && (turns.empty() || turns.back() < turn))
        turns.push_back(turn);
    }
    return turns;
  }

  const Sample& sample_;
  const Rounds& rounds_;
  const Plan& plan_;
  bool looks_;
};

TEST(Look, OverlappedRoundsAreKeptAndGoOnAfterAnyTurn) {
  test::Random random(618);
  const int rank = test::world_rank(), ranks = test::world_size();
  std::int64_t turns = 0;
  int ended_early = 0;
  for (int i = 0; i < 12; ++i) {
    const Sample sample(random, false);
    std::vector<Image> iterates = {sample.first};
    do {
      iterates.push_back(after_step(iterates.back()));
    } while (!sample.is_above(iterates.back()) && static_cast<std::int64_t>(iterates.size()) <= sample.most);
    Schedule schedule;
    schedule.loops["steps"] = {.turns_per_exchange = random.small(1, 3),
                               .turns_per_tile = random.small(1, 3),
                               .turns_per_test = random.small(1, 5),
                               .overlaps_test = true};
    const Rounds rounds = in_rounds(sample.pipeline, schedule);
    const Plan plan = make_plan(rounds.pipeline, rounds.schedule, {}, ranks, rank);
    const ResumedRun run(sample, rounds, plan, random.chance(50));
    for (std::size_t turn = 0; turn + 1 < iterates.size(); turn += 2 + turn / 2)
      run.run(static_cast<std::int64_t>(turn), iterates[turn], iterates);
    const std::int64_t end = static_cast<std::int64_t>(iterates.size()) - 1;
    turns += end;
    ended_early += end < sample.most ? 1 : 0;
  }
  EXPECT_GT(turns, 40);
  EXPECT_GT(ended_early, 2);
}

}  // namespace
