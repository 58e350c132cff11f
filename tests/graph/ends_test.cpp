// SPDX-License-Identifier: BSD-3-Clause
// How runs end when the caller keeps buffers, when nobody waits, and when bodies emit at the end.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "messages.hpp"
#include "small_graphs.hpp"

namespace tessera::graph {
namespace {

using graph_test::append_to, graph_test::count_to, graph_test::first_numbers, graph_test::message_of,
    graph_test::Signal, graph_test::work_for;

int make_zero() { return 0; }

/// The body of a source of leases that hold 0, 1 and so on, `count` in all.
auto leases_to(int count) {
  return [count](std::int64_t i, Lease<int> to) -> std::optional<Lease<int>> {
    *to = static_cast<int>(i);
    return i < count ? std::optional(std::move(to)) : std::nullopt;
  };
}

TEST(GraphEnds, TheEndOfASourceLetsYoungerItemsHaveItsBuffers) {
  // While the call of the first source is under way, its item is the oldest one, and the buffer is reserved.
  Signal may_end;
  Graph g("reserved");
  const Pool<int> pool(g, "pool", {.count = 1, .per_item = 1}, make_zero);
  const auto none = g.source("none", {.on = Place::io()}, [&](std::int64_t) -> std::optional<int> {
    may_end.wait();
    return std::nullopt;
  });
  const auto keep = [](int x, const Lease<int>&) { return x; };
  g.sink(
      "use none", {}, [](int) {}, g.task("take none", {}, keep, none, pool));
  const auto some = g.source("some", {}, [&](std::int64_t i) -> std::optional<int> {
    if (i == 3) may_end.raise();
    return i < 3 ? std::optional(static_cast<int>(i)) : std::nullopt;
  });
  std::vector<int> seen;
  g.sink("write", {.order = Order::stamp}, append_to(seen), g.task("take", {}, keep, some, pool));
  g.run({.workers = 2}).wait();
  EXPECT_EQ(seen, first_numbers(3));
}

TEST(GraphEnds, ARunEndsAlthoughTheCallerKeepsItsBuffers) {
  for (const int workers : {1, 2, 4}) {
    Graph g("popped");
    const Pool<int> pool(g, "pool", {.count = 3, .per_item = 1}, make_zero);
    const auto numbers = g.source("count", {}, leases_to(1000), pool);
    g.output("out", {.order = Order::stamp}, numbers);
    std::vector<Lease<int>> kept;
    {
      auto run = g.run({.workers = workers});
      for (int i = 0; i < 3; ++i) kept.push_back(run.pop(numbers).value());
    }
    for (int i = 0; i < 3; ++i) EXPECT_EQ(*kept[static_cast<std::size_t>(i)], i);
  }
}

TEST(GraphEnds, ABufferThatTheCallerKeepsMayComeBackLate) {
  Graph g("late");
  const Pool<int> pool(g, "pool", {.count = 1, .per_item = 1}, make_zero);
  const auto numbers = g.source("count", {}, leases_to(50), pool);
  g.output("out", {.order = Order::stamp}, numbers);
  auto run = g.run({.workers = 2});
  for (int i = 0; i < 50; ++i) {
    const std::optional<Lease<int>> lease = run.pop(numbers);
    ASSERT_TRUE(lease);
    work_for(200);
    EXPECT_EQ(**lease, i);
  }
  EXPECT_FALSE(run.pop(numbers));
  run.wait();
}

TEST(GraphEnds, AKeeperThatKeepsAllBuffersIsNamedAfterAnItemWasPopped) {
  struct KeepsAll {
    std::vector<Lease<int>> kept = {};
    void operator()(Lease<int> lease, Out<int>& out) {
      out(*lease);
      kept.push_back(std::move(lease));
    }
  };
  Graph g("hoard");
  const Pool<int> pool(g, "pool", {.count = 3, .per_item = 1}, make_zero);
  const auto out =
      g.keeper<int>("hoard", {.order = Order::stamp}, KeepsAll{}, g.source("count", {}, leases_to(10), pool));
  g.output("out", {}, out);
  auto run = g.run({.workers = 1});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(run.pop(out), i);
  EXPECT_EQ(run.pop(out), std::nullopt);
  test::expect_message(message_of<InputError>([&] { run.wait(); }),
                       {"'pool'", "keeper 'hoard'", "raise graph.pool.count"});
}

TEST(GraphEnds, ATaskThatNeedsMoreBuffersThanAreFreeIsNamed) {
  struct KeepsTwo {
    std::vector<Lease<int>> kept = {};
    void operator()(const Lease<int>& lease, Out<int>& out) {
      kept.push_back(lease);
      if (kept.size() == 2) out(0);
    }
  };
  Graph g("two");
  const Pool<int> pool(g, "pool", {.count = 3, .per_item = 2}, make_zero);
  const auto kept =
      g.keeper<int>("keep", {.order = Order::stamp}, KeepsTwo{}, g.source("count", {}, leases_to(2), pool));
  const auto pairs = g.task(
      "pair", {}, [](int x, const Lease<int>&, const Lease<int>&) { return x; }, kept, pool, pool);
  g.sink(
      "write", {}, [](int) {}, pairs);
  test::expect_message(message_of<InputError>([&] { g.run({.workers = 2}).wait(); }),
                       {"'pool'", "'pair' waits", "raise graph.pool.count"});
}

TEST(GraphEnds, WhatAKeeperEmitsAtTheEndMayComeBackToIt) {
  struct Halve {
    std::vector<int> kept = {};
    std::atomic<int>* callers;
    void operator()(int x, Out<int>& again, Out<int>& out) {
      EXPECT_EQ(++*callers, 1);
      x < 100 ? kept.push_back(x) : out(x);
      static_cast<void>(again);
      --*callers;
    }
    void finish(Out<int>& again, Out<int>&) {
      ++*callers;
      for (const int x : kept) {
        again(x + 100);
        work_for(20);
      }
      --*callers;
    }
  };
  for (const int workers : {1, 2, 4}) {
    std::atomic<int> callers{0};
    Graph g("around");
    const auto numbers = g.source("count", {}, count_to(50));
    const auto back = g.feedback<int>("back", {.most = 3});
    const auto [again, out] = g.keeper<int, int>("halve", {.order = Order::arrival}, Halve{{}, &callers},
                                                 g.merge("all", std::vector{numbers, back}));
    g.close(back, g.task(
                      "pass", {}, [](int x) { return x; }, again));
    std::vector<int> seen;
    g.sink("write", {}, append_to(seen), out);
    g.run({.workers = workers}).wait();
    std::ranges::sort(seen);
    ASSERT_EQ(seen.size(), 50U);
    for (int i = 0; i < 50; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], i + 100);
  }
}

TEST(GraphEnds, ARunOfKernelsThatNobodyWaitsForLeavesNothingBehind) {
  Graph g("kernels");
  const Pool<int> pool(g, "pool", {.count = 1, .per_item = 1}, make_zero);
  const auto numbers = g.source("count", {.on = Place::kernels()}, leases_to(10), pool);
  std::vector<int> seen;
  g.sink(
      "write", {.on = Place::kernels(), .order = Order::stamp},
      [&](const Lease<int>& lease) { seen.push_back(*lease); }, numbers);
  g.run({.workers = 1});
  seen.clear();
  g.run({.workers = 1}).wait();
  EXPECT_EQ(seen, first_numbers(10));
}

TEST(GraphEnds, ExceptionsOfAnyTypeMayBeLeftAlone) {
  Graph g("thrown");
  Signal has_thrown;
  g.sink(
      "write", {},
      [&](int) {
        has_thrown.raise();
        throw 5;
      },
      g.source("count", {}, count_to(3)));
  {
    const auto run = g.run({.workers = 1});
    has_thrown.wait();
  }
  EXPECT_EQ(message_of<InputError>([&] { throw InputError("reached"); }), "reached");
}

}  // namespace
}  // namespace tessera::graph
