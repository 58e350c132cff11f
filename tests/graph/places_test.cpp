// SPDX-License-Identifier: BSD-3-Clause
// Which threads call bodies, how many at a time, and when bodies start and finish.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <atomic>
#include <set>
#include <thread>

#include "small_graphs.hpp"

namespace tessera::graph {
namespace {

using graph_test::append_to, graph_test::count_to, graph_test::first_numbers, graph_test::pass_on,
    graph_test::work_for;

TEST(GraphPlaces, OneThreadReadsAndWrites) {
  std::set<std::thread::id> readers, writers;
  std::atomic<std::thread::id> worker{};
  Graph g("files");
  const auto numbers = g.source("read", {.on = Place::io()}, [&](std::int64_t i) {
    readers.insert(std::this_thread::get_id());
    return i < 100 ? std::optional(static_cast<int>(i)) : std::nullopt;
  });
  const auto made = g.task(
      "make", {},
      [&](int x) {
        worker = std::this_thread::get_id();
        return x;
      },
      numbers);
  g.sink(
      "write", {.on = Place::io()}, [&](int) { writers.insert(std::this_thread::get_id()); }, made);
  g.run({.workers = 1}).wait();
  EXPECT_EQ(readers.size(), 1U);
  EXPECT_EQ(readers, writers);
  EXPECT_FALSE(readers.contains(worker));
  EXPECT_FALSE(readers.contains(std::this_thread::get_id()));
}

TEST(GraphPlaces, ReplicasRunOnThreadsOfTheirPlace) {
  std::set<std::thread::id> devices[2];
  Graph g("devices");
  const auto made = g.replicate(
      "devices", {Place::device(0), Place::numa(0)}, [](int x) { return x % 2; },
      g.source("count", {}, count_to(20)),
      [&](const Flow<int>& flow) {
        return g.task(
            "make", {.workers = 1},
            [&](int x) {
              devices[x % 2].insert(std::this_thread::get_id());
              return x;
            },
            flow);
      });
  std::vector<int> seen;
  g.sink("write", {.order = Order::stamp}, append_to(seen), made);
  g.run({.workers = 1}).wait();
  EXPECT_EQ(seen, first_numbers(20));
  EXPECT_EQ(devices[0].size(), 1U);
  EXPECT_FALSE(devices[1].contains(*devices[0].begin()));
}

/// Adds up its numbers by a kernel, and checks that it is called where kernels may be launched.
struct SumByKernel {
  static constexpr bool launches_kernels = true;
  std::thread::id main;
  std::atomic<int>* busy_workers;
  int operator()(int x) const {
    EXPECT_EQ(std::this_thread::get_id(), main);
    EXPECT_EQ(*busy_workers, 0);
    int sum = 0;
    Kokkos::parallel_reduce(
        "sum", x, KOKKOS_LAMBDA(const int i, int& part) { part += i; }, sum);
    return sum;
  }
};

TEST(GraphPlaces, KernelsRunOnTheThreadThatWaitsWhileWorkersPause) {
  for (const int workers : {1, 2, 4}) {
    std::atomic<int> busy{0};
    const auto busily = [&](int x) {
      ++busy;
      for (int i = 0; i < 200; ++i) EXPECT_GT(busy, 0);
      --busy;
      return x;
    };
    const SumByKernel kernel{std::this_thread::get_id(), &busy};
    Graph g("kernels");
    const auto numbers = g.task("before", {}, busily, g.source("count", {}, count_to(100)));
    const auto sums = g.task("sum", {.on = Place::kernels()}, kernel, numbers);
    const auto again = g.task("again", {.on = Place::kernels()}, pass_on<int>(), sums);
    std::vector<int> seen;
    g.sink("write", {.order = Order::stamp}, append_to(seen), g.task("after", {}, busily, again));
    auto run = g.run({.workers = workers});
    run.wait();
    ASSERT_EQ(seen.size(), 100U);
    for (int x = 0; x < 100; ++x) EXPECT_EQ(seen[static_cast<std::size_t>(x)], x * (x - 1) / 2);
    EXPECT_EQ(run.report().tasks.at(2).calls, 100);
  }
}

TEST(GraphPlaces, AWholeGraphMayRunWhereKernelsRun) {
  Graph g("kernels");
  const Place here = Place::kernels();
  const auto numbers = g.source("count", {.on = here}, count_to(100));
  const auto grown = g.loop(
      "grow", {.on = here, .most = 10}, numbers,
      [&](const Flow<int>& turn) {
        return g.task(
            "double", {.on = here}, [](int x) { return 2 * x + 1; }, turn);
      },
      [](int x) { return x > 100; });
  std::vector<int> seen;
  g.sink("write", {.on = here, .order = Order::stamp}, append_to(seen), grown);
  g.run({.workers = 2}).wait();
  EXPECT_EQ(seen.size(), 100U);
}

TEST(GraphPlaces, ARunOfKernelsThatNobodyWaitsForEnds) {
  Graph g("kernels");
  std::vector<int> seen;
  g.sink("write", {.on = Place::kernels(), .order = Order::stamp}, append_to(seen),
         g.source("count", {}, count_to(100000000)));
  { const auto run = g.run({.workers = 2}); }
  EXPECT_EQ(seen, first_numbers(static_cast<int>(seen.size())));
}

TEST(GraphPlaces, OneWorkerIsEnoughForAnyGraph) {
  // All tasks but one share a worker: two inputs that wait for each other, a pool of one, a loop and parts.
  Graph g("one");
  const Pool<int> pool(g, "pool", {.count = 1}, [] { return 0; });
  const auto numbers = g.source(
      "count", {},
      [](std::int64_t i, Lease<int> lease) {
        *lease = static_cast<int>(i);
        return i < 50 ? std::optional(std::move(lease)) : std::nullopt;
      },
      pool);
  const auto left = g.task(
      "left", {.workers = 3}, [](const Lease<int>& x) { return *x; }, numbers);
  const auto right = g.loop(
      "turns", {.most = 3}, left,
      [&](const Flow<int>& turn) {
        return g.task(
            "add", {}, [](int x) { return x + 1; }, turn);
      },
      [](int) { return false; });
  const auto parts = g.scatter<int>(
      "split", {},
      [](const Lease<int>& a, int b, Out<int>& out) {
        for (int i = *a; i < b; ++i) out(i);
      },
      numbers, right);
  std::vector<int> seen;
  g.sink(
      "write", {.order = Order::stamp},
      [&](const std::vector<int>& v) { seen.push_back(static_cast<int>(v.size()) + v.front()); },
      g.gather("join", g.task("part", {}, pass_on<int>(), parts)));
  auto run = g.run({.workers = 1});
  run.wait();
  ASSERT_EQ(seen.size(), 50U);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], i + 3);
  EXPECT_EQ(run.report().workers, 1);
}

TEST(GraphPlaces, ATaskHasAtMostItsWorkers) {
  std::atomic<int> running{0}, most{0};
  Graph g("limit");
  const auto made = g.task(
      "make", {.workers = 2},
      [&](int x) {
        const int now = ++running;
        int seen = most;
        while (seen < now && !most.compare_exchange_weak(seen, now)) continue;
        work_for(2);
        --running;
        return x;
      },
      g.source("count", {}, count_to(500)));
  std::vector<int> seen;
  g.sink("write", {.order = Order::stamp}, append_to(seen), made);
  g.run({.workers = 4}).wait();
  EXPECT_EQ(seen, first_numbers(500));
  EXPECT_LE(most, 2);
}

/// Counts what it gets, and passes the count on at the end.
struct CountAtEnd {
  std::vector<std::string>* finished;
  std::string name;
  int count = 0;
  void operator()(int x, Out<int>&) { count += x; }
  void finish(Out<int>& out) {
    finished->push_back(name);
    out(count + 1);
  }
};

TEST(GraphFinish, ComesInTopologicalOrder) {
  for (const int workers : {1, 2, 4}) {
    std::vector<std::string> finished;
    Graph g("finish");
    const auto numbers = g.source("count", {}, count_to(10));
    const auto add = [&](const std::string& name, const Flow<int>& flow) {
      return g.task<int>(name, {.workers = 1}, CountAtEnd{&finished, name}, flow);
    };
    const auto a = add("a", numbers);
    const auto b = add("b", a);
    const auto c = add("c", g.merge("both", std::vector{a, b}));
    std::vector<int> seen;
    g.sink("write", {}, append_to(seen), c);
    auto run = g.run({.workers = workers});
    run.wait();
    EXPECT_EQ(finished, (std::vector<std::string>{"a", "b", "c"}));
    EXPECT_EQ(seen, std::vector{46 + 47 + 1});  // b gets the 46 of a, and c what both emit.
    EXPECT_EQ(run.report().items, 10) << "a call of finish is no item";
  }
}

TEST(GraphFinish, IsCalledWithoutItemsToo) {
  std::vector<std::string> finished;
  Graph g("empty");
  std::vector<int> seen;
  const auto none = g.source("count", {}, count_to(0));
  g.sink("write", {.order = Order::stamp}, append_to(seen),
         g.task<int>("a", {.workers = 1, .single = true}, CountAtEnd{&finished, "a"}, none));
  g.run({.workers = 2}).wait();
  EXPECT_EQ(seen, std::vector{1});
}

}  // namespace
}  // namespace tessera::graph
