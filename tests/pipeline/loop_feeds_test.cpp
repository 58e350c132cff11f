// SPDX-License-Identifier: BSD-3-Clause
// Loops with several iterates, or whose iterates others read, against plain loops over all points.
#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "pipeline/random_run.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/plan/exchanges.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"

namespace {

using namespace tessera;
using test::Point;
using Image = test::WholeArray<std::int32_t>;

/// The next of four iterates.
struct Chain {
  template <class U, class Before, class First, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, const Before& before, const First& first, Coord x,
                                  Coord y) const {
    return (u(x - 1, y) + u(x + 1, y) + before(x, y - 1) - before(x, y + 1) + first(x, y)) % 10007;
  }
};

/// `next` is fed to `u`, that is fed on to `before`, and that to `first`.
Pipeline chain(const Box& box, std::int64_t turns) {
  Pipeline p;
  const auto u = p.input<std::int32_t, 2>("u", box, Boundary::clamp);
  const auto before = p.input<std::int32_t, 2>("before", box, Boundary::clamp);
  const auto first = p.input<std::int32_t, 2>("first", box);
  p.repeat("l", turns, [&](const Pipeline::Loop& loop) {
    const auto next = p.stage<std::int32_t>("next", Chain(), u, before, first);
    loop.watch(p.reduce("most", Maximum<std::int32_t>(), next, box));
    loop.feed(next, u);
    loop.feed(u, before);
    loop.feed(before, first);
  });
  p.output(u);
  p.output(before);
  p.output(first);
  return p;
}

TEST(LoopFeeds, AChainOfThree) {
  test::Random random(642);
  for (int i = 0; i < 60; ++i) {
    const Box box = random.box(2, -3, 3, 18);
    const std::int64_t turns = random.between(1, 9);
    Image now = test::random_image(random, box), past = test::random_image(random, box),
          old = test::random_image(random, box);
    const test::RandomRun run(random, chain(box, turns), {{"u", now}, {"before", past}, {"first", old}});
    for (std::int64_t turn = 0; turn < turns; ++turn) {
      const Image next = test::made(box, [&](const Point& at) {
        return (now.clamped(test::moved(at, -1, 0)) + now.clamped(test::moved(at, 1, 0)) +
                past.clamped(test::moved(at, 0, -1)) - past.clamped(test::moved(at, 0, 1)) + old.at(at)) %
               10007;
      });
      old = past;
      past = now;
      now = next;
    }
    run.expect("u", now);
    run.expect("before", past);
    run.expect("first", old);
  }
}

/// Runs a plan again and again without doing anything but its swaps, loops as often as chance has it.
struct Wanderer {
  test::Random& random;
  const PlanNode& exchange;
  /// By array: which has its buffer.
  IdVector<ArrayId, BufferId> buffers;
  std::set<std::vector<BufferId>> seen = {};

  void run(const PlanNode& node) {
    const auto* swap = std::get_if<plan::Swap>(&node.step);
    if (swap != nullptr) std::swap(buffers[swap->first], buffers[swap->second]);
    if (&node == &exchange) {
      std::vector<BufferId> exchanged;
      for (const auto& array : std::get<plan::Exchange>(node.step).arrays)
        exchanged.push_back(buffers[array.array]);
      seen.insert(exchanged);
    }
    if (children_of(node) == nullptr) return;
    const bool is_loop = std::holds_alternative<plan::Repeat>(node.step);
    for (int turn = is_loop ? random.small(1, 9) : 1; turn > 0; --turn)
      for (const PlanNode& child : *children_of(node)) run(child);
  }
};

// All arrays together have thousands of arrangements, which is no reason to look at each.
TEST(LoopFeeds, ExchangesOfAChainArePreparedForAllThatMayCome) {
  test::Random random(647);
  for (const int turns : {1, 2, 5}) {
    Schedule schedule;
    schedule.loops["l"] = {1, 1, turns};
    const Rounds rounds = in_rounds(chain(Box{{0, 12}, {0, 20}}, 100), schedule);
    const Plan plan = make_plan(rounds.pipeline, rounds.schedule, {}, 4, 1);
    int exchanges = 0;
    walk(plan.root, [&](const PlanNode& node) {
      if (!std::holds_alternative<plan::Exchange>(node.step)) return;
      ++exchanges;
      Wanderer wanderer{random, node, {}};
      for (const ArrayRegions& stage : plan.stages) wanderer.buffers.push_back(stage.written_buffer);
      for (int i = 0; i < 3000; ++i) wanderer.run(plan.root);
      const auto prepared = arrangements(plan, node);
      EXPECT_EQ(wanderer.seen, (std::set<std::vector<BufferId>>(prepared.begin(), prepared.end()))) << turns;
    });
    EXPECT_GT(exchanges, 0);
  }
}

/// Neighbours along x, neighbours along y.
struct AlongX {
  template <class U, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, Coord x, Coord y) const {
    return (u(x - 1, y) + 2 * u(x + 1, y)) % 10007;
  }
};
struct AlongY {
  template <class U, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, Coord x, Coord y) const {
    return (u(x, y - 1) - 3 * u(x, y + 1)) % 10007;
  }
};
Image along(const Image& u, std::int64_t dx, std::int64_t dy, int factor) {
  return test::made(u.box, [&](const Point& p) {
    return (u.clamped(test::moved(p, -dx, -dy)) + factor * u.clamped(test::moved(p, dx, dy))) % 10007;
  });
}

TEST(LoopFeeds, TwoLoopsInARowFeedOneArray) {
  test::Random random(643);
  for (int i = 0; i < 60; ++i) {
    const Box box = random.box(2, -3, 3, 18);
    const std::int64_t turns_x = random.between(1, 7), turns_y = random.between(1, 7);
    Pipeline p;
    const auto u = p.input<std::int32_t, 2>("u", box, Boundary::clamp);
    p.repeat("x", turns_x,
             [&](const Pipeline::Loop& loop) { loop.feed(p.stage<std::int32_t>("next_x", AlongX(), u), u); });
    p.repeat("y", turns_y,
             [&](const Pipeline::Loop& loop) { loop.feed(p.stage<std::int32_t>("next_y", AlongY(), u), u); });
    p.output(u);
    Image now = test::random_image(random, box);
    const test::RandomRun run(random, p, {{"u", now}});
    for (std::int64_t turn = 0; turn < turns_x; ++turn) now = along(now, 1, 0, 2);
    for (std::int64_t turn = 0; turn < turns_y; ++turn) now = along(now, 0, 1, -3);
    run.expect("u", now);
    EXPECT_EQ(run.turns, (std::vector<std::int64_t>{turns_x, turns_y}));
  }
}

/// Two fields that act on each other.
struct Coupled {
  template <class U, class V, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, const V& v, Coord x, Coord y) const {
    return pack((u(x, y) + v(x + 1, y)) % 10007, (v(x, y) - u(x - 2, y - 1)) % 10007);
  }
};

TEST(LoopFeeds, TwoOutputsOfOneStage) {
  test::Random random(644);
  for (int i = 0; i < 60; ++i) {
    const Box box = random.box(2, -3, 3, 18);
    const std::int64_t turns = random.between(1, 9);
    Pipeline p;
    const auto u = p.input<std::int32_t, 2>("u", box, Boundary::mirror);
    const auto v = p.input<std::int32_t, 2>("v", box, Boundary::clamp);
    p.repeat("l", turns, [&](const Pipeline::Loop& loop) {
      const auto [next_u, next_v] =
          p.stages<TypeList<std::int32_t, std::int32_t>>({"next_u", "next_v"}, Coupled(), u, v);
      loop.watch(p.reduce("most", Maximum<std::int32_t>(), next_v, box));
      loop.feed(next_u, u);
      loop.feed(next_v, v);
    });
    p.output(u);
    p.output(v);
    Image a = test::random_image(random, box), b = test::random_image(random, box);
    const test::RandomRun run(random, p, {{"u", a}, {"v", b}});
    for (std::int64_t turn = 0; turn < turns; ++turn) {
      const Image next = test::made(
          box, [&](const Point& at) { return (a.at(at) + b.clamped(test::moved(at, 1, 0))) % 10007; });
      b = test::made(box, [&](const Point& at) {
        return (b.at(at) - a.bounded(Boundary::mirror, test::moved(at, -2, -1))) % 10007;
      });
      a = next;
    }
    run.expect("u", a);
    run.expect("v", b);
  }
}

/// Some point of an array.
struct Probe {
  template <class U, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, Coord) const {
    return u(Coordinate(5), Coordinate(3));
  }
};
struct IsAbove {
  std::int32_t limit;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord) const {
    return select(in(0) > limit, 1, 0);
  }
};

TEST(LoopFeeds, AValueThatReadsAPointOfTheIterate) {
  test::Random random(645);
  bool counts_differ = false;
  for (int i = 0; i < 40; ++i) {
    const Box box{{random.between(-3, 5), 14}, {0, random.between(4, 12)}};
    const std::int64_t most = random.between(1, 9);
    const std::int32_t limit = random.small(0, 5000);
    Pipeline p;
    const auto u = p.input<std::int32_t, 2>("u", box, Boundary::clamp);
    p.repeat("l", most, [&](const Pipeline::Loop& loop) {
      const auto next = p.stage<std::int32_t>("next", AlongX(), u);
      const auto probe = p.value<std::int32_t>("probe", Probe(), next);
      loop.watch(probe);
      loop.until(p.value<std::uint8_t>("above", IsAbove{limit}, probe));
      loop.feed(next, u);
    });
    p.output(u);
    Image now = test::random_image(random, box);
    const test::RandomRun run(random, p, {{"u", now}});
    std::int64_t turns = 0;
    do {
      now = along(now, 1, 0, 2);
      ++turns;
    } while (turns < most && now.at({{5, 3, 0, 0}}) <= limit);
    run.expect("u", now);
    EXPECT_EQ(run.turns, std::vector<std::int64_t>{turns}) << run.text;
    counts_differ = counts_differ || turns < most;
  }
  EXPECT_TRUE(counts_differ);
}

TEST(LoopFeeds, AStageOfTheLoopIsAnOutput) {
  test::Random random(646);
  for (int i = 0; i < 60; ++i) {
    const Box box = random.box(2, -3, 3, 18);
    const std::int64_t turns = random.between(1, 9);
    Pipeline p;
    const auto u = p.input<std::int32_t, 2>("u", box, Boundary::clamp);
    Array<std::int32_t, 2> slope{};
    p.repeat("l", turns, [&](const Pipeline::Loop& loop) {
      slope = p.stage<std::int32_t>("slope", AlongY(), u);
      const auto next = p.stage<std::int32_t>("next", Chain(), u, u, slope);
      loop.feed(next, u);
    });
    p.output(slope, box);
    p.output(u);
    Image now = test::random_image(random, box), last = now;
    const test::RandomRun run(random, p, {{"u", now}});
    for (std::int64_t turn = 0; turn < turns; ++turn) {
      last = along(now, 0, 1, -3);
      now = test::made(box, [&](const Point& at) {
        return (now.clamped(test::moved(at, -1, 0)) + now.clamped(test::moved(at, 1, 0)) +
                now.clamped(test::moved(at, 0, -1)) - now.clamped(test::moved(at, 0, 1)) + last.at(at)) %
               10007;
      });
    }
    run.expect("u", now);
    run.expect("slope", last);
  }
}

}  // namespace
