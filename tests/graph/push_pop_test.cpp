// SPDX-License-Identifier: BSD-3-Clause
// Runs that are fed, emptied, stopped and left from outside.
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "messages.hpp"
#include "small_graphs.hpp"

namespace tessera::graph {
namespace {

using graph_test::append_to, graph_test::count_to, graph_test::first_numbers, graph_test::pass_on,
    graph_test::Signal;

TEST(GraphPushAndPop, OneThreadFeedsAndEmptiesWithinTheWindow) {
  for (const int workers : {1, 2, 4}) {
    Graph g("service");
    const auto in = g.input<int>("in");
    const auto out = g.task(
        "square", {}, [](int x) { return x * x; }, in);
    g.output("out", {.order = Order::stamp}, out);
    g.configure({.window = 4});
    auto run = g.run({.workers = workers});
    for (int batch = 0; batch < 50; ++batch) {
      for (int i = 0; i < 4; ++i) ASSERT_TRUE(run.push(in, 4 * batch + i));
      for (int i = 0; i < 4; ++i) ASSERT_EQ(run.pop(out), (4 * batch + i) * (4 * batch + i));
    }
    run.close(in);
    EXPECT_EQ(run.pop(out), std::nullopt);
    run.wait();
    EXPECT_EQ(run.report().items, 200);
    EXPECT_LE(run.report().most_items, 4);
  }
}

TEST(GraphPushAndPop, AThreadThatPushesWaitsForTheWindow) {
  for (const int workers : {1, 2, 4}) {
    Graph g("service");
    const auto in = g.input<int>("in");
    const auto out = g.task("task", {}, pass_on<int>(), in);
    g.output("out", {.order = Order::stamp}, out);
    g.configure({.window = 3});
    auto run = g.run({.workers = workers});
    std::jthread pusher([&] {
      for (int i = 0; i < 2000; ++i) EXPECT_TRUE(run.push(in, i));
      run.close(in);
    });
    std::vector<int> seen;
    while (const auto item = run.pop(out)) seen.push_back(*item);
    EXPECT_EQ(seen, first_numbers(2000));
    pusher.join();
    run.wait();
    EXPECT_LE(run.report().most_items, 3);
  }
}

TEST(GraphPushAndPop, InputsAndSourcesMeetInAKeeper) {
  struct Meet {
    void operator()(int x, Out<int>& out) { out(x); }
    void operator()(double y, Out<int>& out) { out(1000 + static_cast<int>(y)); }
  };
  for (const int workers : {1, 2, 4}) {
    Graph g("two inputs");
    const auto first = g.input<int>("first");
    const auto second = g.input<double>("second");
    std::vector<int> seen;
    g.sink("write", {.workers = 1}, append_to(seen),
           g.keeper<int>("meet", {.order = Order::stamp}, Meet{}, first, second));
    auto run = g.run({.workers = workers});
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(run.push(first, i));
    for (int i = 0; i < 2; ++i) EXPECT_TRUE(run.push(second, static_cast<double>(i)));
    run.close(first);
    EXPECT_TRUE(run.push(second, 2.0));
    EXPECT_TRUE(run.push(second, 3.0));
    run.close(second);
    run.wait();
    std::ranges::sort(seen);
    EXPECT_EQ(seen, (std::vector{0, 1, 2, 1000, 1001, 1002, 1003}));
  }
}

TEST(GraphPushAndPop, AStopClosesTheInputsThatAKeeperWaitsFor) {
  struct Meet {
    std::vector<int>* seen;
    void operator()(int x) { seen->push_back(x); }
    void operator()(double) {}
  };
  for (const int workers : {1, 2}) {
    Graph g("two inputs");
    const auto first = g.input<int>("first");
    const auto second = g.input<double>("second");
    std::vector<int> seen;
    g.keeper("meet", {.order = Order::stamp}, Meet{&seen}, first, second);
    auto run = g.run({.workers = workers});
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(run.push(first, i));
    run.stop();
    EXPECT_FALSE(run.push(first, 3));
    run.wait();
    EXPECT_EQ(seen, first_numbers(3));
    EXPECT_TRUE(run.report().is_stopped);
  }
}

TEST(GraphPushAndPop, NothingIsPushedAfterAFailure) {
  Graph g("service");
  const auto in = g.input<int>("in");
  const auto out = g.task(
      "throw", {}, [](int) -> int { throw std::runtime_error("no luck"); }, in);
  g.output("out", {}, out);
  auto run = g.run({.workers = 2});
  EXPECT_TRUE(run.push(in, 0));
  EXPECT_EQ(run.pop(out), std::nullopt);
  EXPECT_FALSE(run.push(in, 1));
  run.close(in);
  EXPECT_EQ(graph_test::message_of<std::runtime_error>([&] { run.wait(); }), "no luck");
}

TEST(GraphPushAndPop, AFailureWakesAThreadThatPushes) {
  Signal is_full;
  Graph g("service");
  const auto in = g.input<int>("in");
  g.sink(
      "throw", {.on = Place::io()},
      [&](int) {
        is_full.wait();
        throw std::runtime_error("no luck");
      },
      in);
  g.configure({.window = 2});
  auto run = g.run({.workers = 1});
  EXPECT_TRUE(run.push(in, 0));
  EXPECT_TRUE(run.push(in, 1));
  is_full.raise();
  EXPECT_FALSE(run.push(in, 2));
  EXPECT_EQ(graph_test::message_of<std::runtime_error>([&] { run.wait(); }), "no luck");
}

TEST(GraphPushAndPop, TwoOutputsShareAnItem) {
  Graph g("shared");
  const auto numbers = g.source("count", {}, count_to(10));
  const auto texts = g.task(
      "text", {}, [](int x) { return std::string(100, static_cast<char>('a' + x)); }, numbers);
  g.output("texts", {.order = Order::stamp}, texts);
  std::vector<std::string> seen;
  g.sink("write", {.order = Order::stamp}, append_to(seen), texts);
  auto run = g.run({.workers = 2});
  for (int i = 0; i < 10; ++i) EXPECT_EQ(run.pop(texts), std::string(100, static_cast<char>('a' + i)));
  EXPECT_EQ(run.pop(texts), std::nullopt);
  run.wait();
  EXPECT_EQ(seen.size(), 10U);
}

/// A graph without an end, whose sink tells when it has seen `count` numbers more than the first one.
struct Endless {
  Graph graph{"endless"};
  Signal enough;
  std::vector<int> seen;

  explicit Endless(int count) {
    const auto numbers =
        graph.source("count", {}, [](std::int64_t i) { return std::optional(static_cast<int>(i)); });
    graph.sink(
        "write", {.order = Order::stamp},
        [this, count](int x) {
          seen.push_back(x);
          if (x == count) enough.raise();
        },
        graph.task("task", {}, pass_on<int>(), numbers));
  }
};

TEST(GraphStop, ItemsUnderWayAreFinished) {
  for (const int workers : {1, 2, 4}) {
    Endless endless(100);
    auto run = endless.graph.run({.workers = workers});
    endless.enough.wait();
    run.stop();
    run.wait();
    const Report report = run.report();
    EXPECT_TRUE(report.is_stopped);
    EXPECT_GT(endless.seen.size(), 100U);
    EXPECT_EQ(endless.seen, first_numbers(static_cast<int>(endless.seen.size())));
    EXPECT_EQ(report.items, std::ssize(endless.seen));
  }
}

TEST(GraphStop, SourcesAreToldSo) {
  Signal waits;
  Graph g("camera");
  const auto numbers = g.source("wait", {.on = Place::io()}, [&](std::int64_t i, std::stop_token stop) {
    if (i == 2) waits.raise();
    while (i == 2 && !stop.stop_requested()) std::this_thread::yield();
    return i < 2 ? std::optional(static_cast<int>(i)) : std::nullopt;
  });
  std::vector<int> seen;
  g.sink("write", {.order = Order::stamp}, append_to(seen), numbers);
  auto run = g.run({.workers = 1});
  waits.wait();
  run.stop();
  run.wait();
  EXPECT_EQ(seen, first_numbers(2));
}

TEST(GraphStop, ARunThatNobodyWaitsForIsStopped) {
  for (const int workers : {1, 2, 4}) {
    Endless endless(50);
    {
      const auto run = endless.graph.run({.workers = workers});
      endless.enough.wait();
    }
    EXPECT_GT(endless.seen.size(), 50U);
    EXPECT_EQ(endless.seen, first_numbers(static_cast<int>(endless.seen.size())));
  }
}

TEST(GraphStop, ARunWhoseItemsNobodyTakesEnds) {
  for (const bool fails : {false, true}) {
    Graph g("left");
    const auto in = g.input<int>("in");
    const auto out = g.task(
        "task", {}, [fails](int x) { return fails && x == 2 ? throw std::runtime_error("no luck") : x; }, in);
    g.output("out", {}, out);
    auto run = g.run({.workers = 2});
    for (int i = 0; i < 3; ++i) run.push(in, i);
  }
}

TEST(GraphStop, ARunMayBeMovedAndAGraphRunsOnceAtATime) {
  Graph g("twice");
  const auto in = g.input<int>("in");
  std::vector<int> seen;
  g.sink("write", {}, append_to(seen), in);
  auto first = g.run({.workers = 1});
  test::expect_message(graph_test::message_of<InternalError>([&] { g.run({.workers = 1}); }),
                       {"runs twice", "same time"});
  auto run = std::move(first);
  run.push(in, 1);
  run.close(in);
  run.wait();
  EXPECT_EQ(seen, std::vector{1});
}

TEST(GraphStop, ReportsMayBeAskedForAtAnyTime) {
  Graph g("report");
  const auto numbers = g.source("count", {}, count_to(20000));
  std::int64_t seen = 0;
  g.sink(
      "write", {.order = Order::stamp}, [&](int) { ++seen; }, g.task("task", {}, pass_on<int>(), numbers));
  auto run = g.run({.workers = 2, .timed = true, .traced = true});
  std::int64_t calls = 0;
  for (int i = 0; i < 50; ++i) {
    const Report report = run.report();
    ASSERT_GE(report.tasks.at(1).calls, calls);
    calls = report.tasks.at(1).calls;
  }
  run.wait();
  EXPECT_EQ(run.report().tasks.at(1).calls, 20000);
}

}  // namespace
}  // namespace tessera::graph
