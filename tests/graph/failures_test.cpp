// SPDX-License-Identifier: BSD-3-Clause
// Bodies that throw, runs that are stopped or forgotten, and places.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <thread>

#include "counting.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/graph/graph.hpp"

namespace tessera::graph {
namespace {

using graph_test::count_to;
using Number = std::int64_t;

/// The part of a graph whose body throws.
enum class Thrower { source, task, keeper, sink, scatter, gathered, condition, start, finish };

struct Starter {
  void start(const Place&) { throw std::runtime_error("no luck"); }
  Number operator()(Number i) const { return i; }
};
struct Finisher {
  Number operator()(Number i) const { return i; }
  void finish(Out<Number>&) { throw std::runtime_error("no luck"); }
};

void build(Graph& g, Thrower thrower) {
  const auto fails = [thrower](Thrower own, Number i) {
    if (own == thrower && i == 37) throw std::runtime_error("no luck");
    return i;
  };
  const Pool<int> buffers(g, "buffers", {.count = 2}, [] { return 0; });
  auto flow = g.source("read", {}, [fails](Number i) {
    return i < 500 ? std::optional(fails(Thrower::source, i)) : std::nullopt;
  });
  const auto held = g.task(
      "hold", {}, [](Number, Lease<int> lease) { return lease; }, flow, buffers);
  const auto worked = g.task(
      "task", {}, [fails](Number i) { return fails(Thrower::task, i); }, flow);
  flow = g.task(
      "release", {}, [](const Lease<int>&, Number i) { return i; }, held, worked);
  flow = g.keeper<Number>(
      "keeper", {.order = Order::stamp, .single = true},
      [fails](Number i, Out<Number>& out) { out(fails(Thrower::keeper, i)); }, flow);
  const auto parts = g.scatter<Number>(
      "scatter", {},
      [fails](Number i, Out<Number>& out) {
        for (int part = 0; part < 3; ++part) out(fails(Thrower::scatter, i));
      },
      flow);
  const auto all =
      g.gather("gather", g.task(
                             "part", {}, [fails](Number i) { return fails(Thrower::gathered, i); }, parts));
  flow = g.task(
      "first", {}, [](const std::vector<Number>& made) { return made.front(); }, all);
  flow = g.loop(
      "loop", {.most = 3}, flow,
      [&](Flow<Number> x) {
        return g.task(
            "turn", {}, [](Number i) { return i; }, x);
      },
      [fails](const Number& i) { return fails(Thrower::condition, i) < 0; });
  if (thrower == Thrower::start) flow = g.task("starter", {}, Starter{}, flow);
  if (thrower == Thrower::finish) flow = g.task("finisher", {}, Finisher{}, flow);
  g.sink(
      "sink", {.order = Order::stamp}, [fails](Number i) { fails(Thrower::sink, i); }, flow);
}

TEST(GraphFailures, TheFirstExceptionEndsTheRun) {
  for (const int workers : {1, 2, 4})
    for (int thrower = 0; thrower <= static_cast<int>(Thrower::finish); ++thrower) {
      Graph g("fails");
      build(g, static_cast<Thrower>(thrower));
      try {
        g.run({.workers = workers}).wait();
        ADD_FAILURE() << thrower << " with " << workers;
      } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "no luck");
      }
    }
}

TEST(GraphFailures, AFailedGraphRunsAgain) {
  bool fails = true;
  Number sum = 0;
  Graph g("again");
  const Pool<int> buffers(g, "buffers", {.count = 1}, [] { return 0; });
  const auto worked = g.task(
      "work", {},
      [&](Number i, Lease<int>) {
        if (fails && i == 10) throw std::runtime_error("no luck");
        return i;
      },
      g.source("read", {}, count_to(100)), buffers);
  g.sink(
      "write", {}, [&](Number i) { sum += i; }, worked);
  EXPECT_THROW(g.run({.workers = 2}).wait(), std::runtime_error);
  fails = false;
  sum = 0;
  g.run({.workers = 2}).wait();
  EXPECT_EQ(sum, 4950);
}

TEST(GraphFailures, SkippedItemsAreListedAndTheOrderHolds) {
  for (const int workers : {1, 2, 4}) {
    std::vector<Number> seen;
    Graph g("skips");
    const auto numbers = g.source("read", {}, count_to(100));
    const auto parts = g.scatter<Number>(
        "split", {}, [](Number i, Out<Number>& out) { out(i), out(i + 1); }, numbers);
    const auto risky = g.task(
        "risky", {.on_error = OnError::skip},
        [](Number i) {
          if (i % 10 == 0) throw InputError("ten of them");
          return i;
        },
        parts);
    g.sink(
        "write", {.order = Order::stamp},
        [&](const std::vector<Number>& all) { seen.push_back(all.front()); }, g.gather("join", risky));
    auto skipping = g.run({.workers = workers});
    skipping.wait();
    const Report report = skipping.report();
    ASSERT_EQ(report.skipped.size(), 20U);
    for (std::size_t i = 0; i < 20; ++i) {
      EXPECT_EQ(report.skipped[i].item, static_cast<Number>(i == 0       ? 0
                                                            : i % 2 == 1 ? 5 * (i + 1) - 1
                                                                         : 5 * i));
      EXPECT_EQ(report.skipped[i].task, "risky");
      EXPECT_EQ(report.skipped[i].reason, "ten of them");
    }
    EXPECT_EQ(seen.size(), 80U);
    EXPECT_TRUE(std::ranges::is_sorted(seen));
    EXPECT_EQ(report.items, 100);
  }
}

TEST(GraphFailures, StopFinishesWhatIsUnderWay) {
  std::atomic<Number> begun = 0, ended = 0;
  Graph g("stops");
  const auto numbers = g.source("read", {}, [](Number i, std::stop_token stop) {
    return stop.stop_requested() ? std::nullopt : std::optional(i);
  });
  const auto worked = g.task(
      "work", {},
      [&](Number i) {
        ++begun;
        return i;
      },
      numbers);
  g.sink(
      "write", {}, [&](Number) { ++ended; }, worked);
  auto stopping = g.run({.workers = 2});
  while (ended < 100) std::this_thread::yield();
  stopping.stop();
  stopping.wait();
  EXPECT_EQ(begun.load(), ended.load());
  EXPECT_TRUE(stopping.report().is_stopped);
  EXPECT_EQ(stopping.report().items, ended);
}

TEST(GraphFailures, AForgottenRunEnds) {
  Graph g("forgotten");
  g.sink(
      "write", {}, [](Number) {}, g.source("read", {}, [](Number i) { return std::optional(i); }));
  static_cast<void>(g.run({.workers = 2}));
  const auto in = g.input<Number>("in");
  g.sink(
      "take", {}, [](Number) {}, in);
  auto waiting = g.run({.workers = 1});
  EXPECT_TRUE(waiting.push(in, Number(1)));
  waiting.stop();
  waiting.wait();
  EXPECT_FALSE(waiting.push(in, Number(2)));
}

TEST(GraphFailures, AKeeperMayNeverEmit) {
  Graph g("silent");
  struct Silent {
    void operator()(Number, Out<Number>&) const {}
  };
  int calls = 0;
  g.sink(
      "write", {.order = Order::stamp}, [&](Number) { ++calls; },
      g.keeper<Number>("silent", {.order = Order::stamp, .single = true}, Silent{},
                       g.source("read", {}, count_to(1000))));
  g.configure({.window = 2});
  g.run({.workers = 2}).wait();
  EXPECT_EQ(calls, 0);
}

TEST(GraphPlaces, KernelsRunOnTheWaitingThreadAlone) {
  std::atomic<int> running = 0;
  std::atomic<bool> overlaps = false;
  Graph g("places");
  const auto caller = std::this_thread::get_id();
  const auto worked = g.task(
      "work", {},
      [&](Number i) {
        ++running;
        std::this_thread::yield();
        --running;
        return i;
      },
      g.source("read", {.on = Place::io()}, count_to(300)));
  const auto squares = g.task(
      "kernel", {.on = Place::kernels()},
      [&](Number i) {
        if (running != 0 || std::this_thread::get_id() != caller) overlaps = true;
        Number sum = 0;
        Kokkos::parallel_reduce(
            "tessera: test", Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace>(0, 100),
            KOKKOS_LAMBDA(int, Number& part) { part += i; }, sum);
        if (running != 0) overlaps = true;
        return sum;
      },
      worked);
  std::vector<Number> seen;
  g.sink(
      "write", {.order = Order::stamp}, [&](Number i) { seen.push_back(i); }, squares);
  g.run({.workers = 2}).wait();
  EXPECT_FALSE(overlaps);
  ASSERT_EQ(seen.size(), 300U);
  for (Number i = 0; i < 300; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], 100 * i);
}

TEST(GraphPlaces, NumaThreadsAndDevicesHaveQueuesOfTheirOwn) {
  std::vector<Number> seen;
  Graph g("queues");
  auto flow = g.source("read", {}, count_to(200));
  flow = g.task(
      "near", {.on = Place::numa(0)}, [](Number i) { return i + 1; }, flow);
  flow = g.task(
      "launch", {.on = Place::device(0)}, [](Number i) { return 2 * i; }, flow);
  g.sink(
      "write", {.on = Place::io(), .order = Order::stamp}, [&](Number i) { seen.push_back(i); }, flow);
  g.run({.workers = 2}).wait();
  ASSERT_EQ(seen.size(), 200U);
  for (Number i = 0; i < 200; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], 2 * (i + 1));
}

TEST(GraphMemory, IsFlatBehindASlowWriter) {
  Graph g("flat");
  const Pool<std::vector<char>> frames(g, "frames", {.count = 6, .per_item = 1},
                                       [] { return std::vector<char>(100000); });
  const auto read = g.source(
      "read", {},
      [](Number i, Lease<std::vector<char>> to) -> std::optional<Lease<std::vector<char>>> {
        if (i == 10000) return std::nullopt;
        to->front() = static_cast<char>(i);
        return to;
      },
      frames);
  Number next = 0;
  g.sink(
      "write", {.order = Order::stamp},
      [&](const Lease<std::vector<char>>& frame) {
        EXPECT_EQ(frame->front(), static_cast<char>(next++));
        if (next % 64 == 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
      },
      g.task(
          "work", {}, [](Lease<std::vector<char>> frame) { return frame; }, read));
  g.configure({.window = 5});
  auto flat = g.run({.workers = 2});
  flat.wait();
  EXPECT_EQ(next, 10000);
  EXPECT_LE(flat.report().most_items, 5);
  EXPECT_LE(flat.report().pools.front().high_water, 6);
}

}  // namespace
}  // namespace tessera::graph
