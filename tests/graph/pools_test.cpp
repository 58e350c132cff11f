// SPDX-License-Identifier: BSD-3-Clause
// Buffers of pools: who gets them, that memory stays flat, and what happens if there are too few.
#include <gtest/gtest.h>

#include <deque>

#include "messages.hpp"
#include "small_graphs.hpp"

namespace tessera::graph {
namespace {

using test::expect_message;

using graph_test::append_to, graph_test::count_to, graph_test::first_numbers, graph_test::message_of,
    graph_test::work_for;

constexpr auto make_zero = [] { return 0; };

TEST(GraphPools, MemoryIsFlatBehindASlowWriter) {
  using Frame = std::vector<unsigned char>;
  for (const int workers : {1, 4}) {
    Graph g("stream");
    int made = 0;
    const Pool<Frame> frames(g, "frames", {.count = 6, .bytes = 100000}, [&made] {
      ++made;
      return Frame(100000);
    });
    const auto read = g.source(
        "read", {.on = Place::io()},
        [](std::int64_t i, Lease<Frame> to) {
          to->at(static_cast<std::size_t>(i)) = static_cast<unsigned char>(i % 251);
          return i < 10000 ? std::optional(std::pair(i, std::move(to))) : std::nullopt;
        },
        frames);
    std::int64_t written = 0;
    const auto changed = g.task(
        "change", {},
        [](std::pair<std::int64_t, Lease<Frame>> frame) {
          ++frame.second->at(static_cast<std::size_t>(frame.first));
          return frame;
        },
        read);
    g.sink(
        "write", {.on = Place::device(0), .order = Order::stamp},
        [&](const std::pair<std::int64_t, Lease<Frame>>& frame) {
          work_for(2);
          EXPECT_EQ(frame.first, written++);
          EXPECT_EQ(frame.second->at(static_cast<std::size_t>(frame.first)), frame.first % 251 + 1);
        },
        changed);
    g.configure({.window = 9});
    auto run = g.run({.workers = workers});
    run.wait();
    EXPECT_EQ(written, 10000);
    EXPECT_EQ(made, 6);
    EXPECT_LE(run.report().pools.at(0).high_water, 6);
    EXPECT_LE(run.report().most_items, 9);
    EXPECT_EQ(run.report().items, 10000);
  }
}

TEST(GraphPools, AnOrderedSinkHoldsAtMostAWindowOfItems) {
  for (const int workers : {1, 2, 4}) {
    Graph g("window");
    std::vector<int> seen;
    const auto slow = g.task(
        "slow", {},
        [](int x) {
          work_for(x % 16 == 0 ? 500 : 0);
          return x;
        },
        g.source("count", {}, count_to(200)));
    g.sink("write", {.order = Order::stamp}, append_to(seen), slow);
    g.configure({.window = 5});
    auto run = g.run({.workers = workers});
    run.wait();
    EXPECT_EQ(seen, first_numbers(200));
    EXPECT_LE(run.report().most_items, 5);
  }
}

TEST(GraphPools, ATaskMayTakeSeveralBuffersOfOnePool) {
  for (const int workers : {1, 2, 4})
    for (const int count : {2, 3, 5}) {
      Graph g("two");
      const Pool<int> pool(g, "pool", {.count = count, .per_item = 2}, make_zero);
      std::vector<int> seen;
      const auto sums = g.task(
          "add", {},
          [](int x, const Lease<int>& a, const Lease<int>& b) {
            EXPECT_NE(&*a, &*b);
            *a = *b = x;
            return *a + *b;
          },
          g.source("count", {}, count_to(200)), pool, pool);
      g.sink("write", {.order = Order::stamp}, append_to(seen), sums);
      auto run = g.run({.workers = workers});
      run.wait();
      ASSERT_EQ(seen.size(), 200U);
      for (int x = 0; x < 200; ++x) EXPECT_EQ(seen[static_cast<std::size_t>(x)], 2 * x);
      EXPECT_LE(run.report().pools.at(0).high_water, count);
    }
}

TEST(GraphPools, AnOldItemGetsItsSecondBufferThoughYoungOnesWait) {
  for (const int workers : {1, 2, 4}) {
    Graph g("second");
    const Pool<int> pool(g, "pool", {.count = 3, .per_item = 2}, make_zero);
    const auto first = g.task(
        "first", {}, [](int x, Lease<int> to) { return *to = x, to; }, g.source("count", {}, count_to(300)),
        pool);
    const auto second = g.task(
        "second", {},
        [](const Lease<int>& from, Lease<int> to) {
          *to = *from;
          return to;
        },
        first, pool);
    std::vector<int> seen;
    g.sink(
        "write", {.order = Order::stamp}, [&](const Lease<int>& x) { seen.push_back(*x); }, second);
    g.configure({.window = 20});
    g.run({.workers = workers}).wait();
    EXPECT_EQ(seen, first_numbers(300));
  }
}

TEST(GraphPools, FewerBuffersAreUsedAfterTheSettingsSaySo) {
  Graph g("settings");
  const Pool<int> pool(g, "pool", {.count = 5, .per_item = 1}, make_zero);
  // The keeper holds its last buffers, so that all of the pool are in use.
  struct Last {
    std::size_t most;
    std::deque<Lease<int>> kept = {};
    void operator()(const Lease<int>& lease) {
      kept.push_back(lease);
      if (kept.size() == most) kept.pop_front();
    }
  };
  const auto numbers = g.source(
      "count", {},
      [](std::int64_t i, Lease<int> to) { return i < 100 ? std::optional(std::move(to)) : std::nullopt; },
      pool);
  g.keeper("keep", {.order = Order::stamp}, Last{2}, numbers);
  for (const int count : {5, 2, 4}) {
    g.configure({.pools = {{"pool", count}}});
    auto run = g.run({.workers = 2});
    run.wait();
    EXPECT_LE(run.report().pools.at(0).high_water, count);
    EXPECT_EQ(run.report().pools.at(0).count, count);
  }
}

TEST(GraphPools, AKeeperThatKeepsTooMuchIsNamed) {
  struct Keep {
    std::vector<Lease<int>> kept;
    void operator()(const Lease<int>& lease, Out<int>&) { kept.push_back(lease); }
  };
  for (const int workers : {1, 2, 4}) {
    Graph g("stitching");
    const Pool<int> pool(g, "ffts", {.count = 4}, make_zero);
    const auto transforms = g.task(
        "fft", {}, [](int, Lease<int> to) { return to; }, g.source("tile", {}, count_to(100)), pool);
    g.discard(g.keeper<int>("pair", {.order = Order::stamp}, Keep{}, transforms));
    expect_message(message_of([&] { g.run({.workers = workers}).wait(); }),
                   {"'ffts'", "'fft' waits", "raise graph.ffts.count"});
    expect_message(message_of([&] { g.rehearse(static_cast<std::uint64_t>(workers)); }),
                   {"'ffts'", "'fft' waits", "raise graph.ffts.count"});
  }
}

TEST(GraphPools, AnItemThatNeedsMoreThanItSaysIsNamed) {
  Graph g("per item");
  const Pool<int> pool(g, "rows", {.count = 1}, make_zero);
  const auto first = g.task(
      "first", {}, [](int, Lease<int> to) { return to; }, g.source("count", {}, count_to(5)), pool);
  g.discard(g.task(
      "second", {}, [](const Lease<int>&, Lease<int> to) { return to; }, first, pool));
  expect_message(message_of([&] { g.run({.workers = 2}).wait(); }),
                 {"'rows'", "'second' waits", "raise graph.rows.count"});
}

TEST(GraphPools, BuffersGoBackWhenABodyThrows) {
  struct Throw {
    int operator()(int x, const Lease<int>&) {
      if (x % 3 == 0) throw std::runtime_error("no luck");
      return x;
    }
  };
  for (const int workers : {1, 2, 4}) {
    Graph g("skip");
    const Pool<int> pool(g, "pool", {.count = 1}, make_zero);
    int written = 0;
    g.sink(
        "write", {.order = Order::stamp}, [&](int) { ++written; },
        g.task("throw", {.on_error = OnError::skip}, Throw{}, g.source("count", {}, count_to(90)), pool));
    auto run = g.run({.workers = workers});
    run.wait();
    EXPECT_EQ(written, 60);
    EXPECT_EQ(run.report().skipped.size(), 30U);
  }
}

TEST(GraphPools, AKeeperMayTakeBuffersAndEmitNothing) {
  for (const int workers : {1, 2, 4}) {
    Graph g("silent");
    const Pool<int> pool(g, "pool", {.count = 1}, make_zero);
    struct Silent {
      int* calls;
      void operator()(int, const Lease<int>&, Out<int>&) const { ++*calls; }
    };
    int calls = 0, written = 0;
    const auto none = g.keeper<int>("silent", {.order = Order::stamp, .single = true}, Silent{&calls},
                                    g.source("count", {}, count_to(500)), pool);
    g.sink(
        "write", {.order = Order::stamp}, [&](int) { ++written; }, none);
    g.run({.workers = workers}).wait();
    EXPECT_EQ(calls, 500);
    EXPECT_EQ(written, 0);
  }
}

}  // namespace
}  // namespace tessera::graph
