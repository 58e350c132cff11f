// SPDX-License-Identifier: BSD-3-Clause
// What the terms of HTGS (T. Blattner et al., "A hybrid task graph scheduler for high performance image
// processing workflows", 2017) become in graphs of tasks. Each test is called after a term.
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <numeric>
#include <thread>

#include "counting.hpp"
#include "tessera/graph/graph.hpp"

namespace tessera::graph {
namespace {

using graph_test::count_to;

TEST(Htgs, InitializeExecuteFinalShutdownCopy) {
  struct Log {
    std::atomic<int> copies = 0, starts = 0, calls = 0, finishes = 0, ends = 0;
  };
  struct Body {
    explicit Body(Log& given) : log(&given) {}
    Body(const Body& other) : log(other.log) { ++log->copies; }
    ~Body() { ended ? void(++log->ends) : void(); }
    void start(const Place& place) {
      EXPECT_EQ(place, Place::threads());
      thread = std::this_thread::get_id();
      ended = true;
      ++log->starts;
    }
    void operator()(std::int64_t i, Out<std::int64_t>& out) {
      EXPECT_EQ(std::this_thread::get_id(), thread);
      ++log->calls;
      out(i);
    }
    void finish(Out<std::int64_t>& out) {
      ++log->finishes;
      out(-1);
    }
    Log* log;
    std::thread::id thread = {};
    bool ended = false;
  };
  Log log;
  std::atomic<int> items = 0;
  Graph g("phases");
  const auto numbers = g.source("count", {}, count_to(100));
  g.sink(
      "write", {}, [&](std::int64_t) { ++items; }, g.task<std::int64_t>("work", {}, Body(log), numbers));
  g.run({.workers = 3}).wait();
  EXPECT_EQ(log.calls, 100);
  EXPECT_GE(log.starts, 1);
  EXPECT_LE(log.starts, 3);
  EXPECT_EQ(log.finishes.load(), log.starts.load());
  EXPECT_EQ(log.ends.load(), log.starts.load());
  EXPECT_EQ(items, 100 + log.finishes);
  EXPECT_GE(log.copies.load(), log.starts.load());
}

TEST(Htgs, CanTerminateIsCounted) {
  // A cycle whose number of turns nobody states ends by itself.
  Graph g("collatz");
  struct Step {
    void operator()(std::int64_t n, Out<std::int64_t>& again, Out<std::int64_t>& done) {
      n == 1 ? done(n) : again(n % 2 == 0 ? n / 2 : 3 * n + 1);
    }
  };
  const auto numbers =
      g.source("count", {}, [](std::int64_t i) { return i < 50 ? std::optional(i + 1) : std::nullopt; });
  const auto back = g.feedback<std::int64_t>("back", {.most = 1000});
  const auto [again, done] =
      g.task<std::int64_t, std::int64_t>("step", {}, Step{}, g.merge<std::int64_t>("all", {numbers, back}));
  g.close(back, again);
  std::atomic<int> ones = 0;
  g.sink(
      "write", {}, [&](std::int64_t n) { ones += static_cast<int>(n); }, done);
  g.run({.workers = 4}).wait();
  EXPECT_EQ(ones, 50);
}

TEST(Htgs, BookkeeperAndRules) {
  // A rule for each input; each rule has its targets.
  struct Pairs {
    std::map<std::int64_t, std::int64_t> waiting;
    void operator()(std::int64_t left, Out<std::int64_t>& pair, Out<std::string>&) {
      waiting[left] = left;
      (void)pair;
    }
    void operator()(std::string right, Out<std::int64_t>& pair, Out<std::string>& odd) {
      const std::int64_t key = std::stoll(right);
      key % 2 == 0 ? pair(key) : odd(std::move(right));
    }
  };
  Graph g("pairs");
  const auto left = g.source("left", {}, count_to(20));
  const auto right = g.task(
      "right", {}, [](std::int64_t i) { return std::to_string(i); }, left);
  const auto [pairs, odd] = g.keeper<std::int64_t, std::string>(
      "match", {.order = Order::stamp, .single = true}, Pairs{}, left, right);
  std::vector<std::int64_t> even;
  std::vector<std::string> odds;
  g.sink(
      "even", {.order = Order::stamp}, [&](std::int64_t i) { even.push_back(i); }, pairs);
  g.sink(
      "odds", {.order = Order::stamp}, [&](const std::string& text) { odds.push_back(text); }, odd);
  g.run({.workers = 3}).wait();
  ASSERT_EQ(even.size(), 10U);
  ASSERT_EQ(odds.size(), 10U);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(even[i], static_cast<std::int64_t>(2 * i));
    EXPECT_EQ(odds[i], std::to_string(2 * i + 1));
  }
}

TEST(Htgs, MemoryManagerGrantsBeforeTheBody) {
  Graph g("memory");
  std::atomic<int> made = 0, in_use = 0, most = 0;
  const Pool<std::vector<int>> static_memory(g, "frames", {.count = 3}, [&] {
    ++made;
    return std::vector<int>(10);
  });
  const auto numbers = g.source("count", {}, count_to(500));
  const auto filled = g.task(
      "fill", {},
      [&](std::int64_t i, Lease<std::vector<int>> to) {
        most = std::max<int>(most, ++in_use);
        to->assign(10, static_cast<int>(i));
        return to;
      },
      numbers, static_memory);
  g.sink(
      "use", {},
      [&](Lease<std::vector<int>> lease) {
        EXPECT_EQ(lease->size(), 10U);
        --in_use;
        lease = {};
      },
      filled);
  auto memory_run = g.run({.workers = 4});
  memory_run.wait();
  EXPECT_EQ(made, 3);
  EXPECT_LE(most, 3);
  EXPECT_EQ(memory_run.report().pools.front().high_water, most);
}

TEST(Htgs, ReleaseRuleIsTheLastLease) {
  // State that keeps a lease is the rule: each tile is released after it was paired with the next one.
  struct Pair {
    Lease<std::int64_t> before;
    void operator()(const Lease<std::int64_t>& tile, Out<std::int64_t>& out) {
      if (before) out(*before * 1000 + *tile);
      before = tile;
    }
    void finish(Out<std::int64_t>&) { before = {}; }
  };
  Graph g("release");
  const Pool<std::int64_t> tiles(g, "tiles", {.count = 2}, [] { return std::int64_t(0); });
  const auto read = g.source(
      "read", {},
      [](std::int64_t i, Lease<std::int64_t> to) -> std::optional<Lease<std::int64_t>> {
        if (i == 50) return std::nullopt;
        *to = i;
        return to;
      },
      tiles);
  std::vector<std::int64_t> pairs;
  g.sink(
      "write", {.order = Order::stamp}, [&](std::int64_t pair) { pairs.push_back(pair); },
      g.keeper<std::int64_t>("pair", {.order = Order::stamp, .single = true}, Pair{}, read));
  g.run({.workers = 2}).wait();
  ASSERT_EQ(pairs.size(), 49U);
  for (std::size_t i = 0; i < pairs.size(); ++i)
    EXPECT_EQ(pairs[i], static_cast<std::int64_t>(i * 1000 + i + 1));
}

TEST(Htgs, ReleaseFromOutsideTheGraph) {
  Graph g("outside");
  const Pool<std::int64_t> buffers(g, "buffers", {.count = 2}, [] { return std::int64_t(0); });
  const auto read = g.source(
      "read", {},
      [](std::int64_t i, Lease<std::int64_t> to) -> std::optional<Lease<std::int64_t>> {
        if (i == 20) return std::nullopt;
        *to = i;
        return to;
      },
      buffers);
  g.output("take", {.order = Order::stamp}, read);
  auto outside = g.run({.workers = 2});
  Lease<std::int64_t> kept;
  std::int64_t next = 0;
  while (auto lease = outside.pop(read)) {
    EXPECT_EQ(**lease, next++);
    kept = std::move(*lease);  // The lease before this one is released here, outside of the graph.
  }
  EXPECT_EQ(next, 20);
  kept = {};
  outside.wait();
}

TEST(Htgs, ExecutionPipelineDecompositionAndBroadcastRule) {
  // Two execution pipelines with two each inside: items are dealt out, and some are broadcast.
  std::atomic<std::int64_t> sum = 0;
  Graph g("replicas");
  const auto numbers = g.source("count", {}, count_to(100));
  const auto outer = g.replicate(
      "outer", {Place::threads(), Place::threads()}, [](const std::int64_t& i) { return i % 2; }, numbers,
      [&](Flow<std::int64_t> part) {
        return g.replicate(
            "inner", {Place::threads(), Place::io()},
            [](const std::int64_t& i) {
              return i % 10 == 0 ? std::vector<int>{0, 1} : std::vector<int>{static_cast<int>(i / 2 % 2)};
            },
            part,
            [&](Flow<std::int64_t> one) {
              return g.task(
                  "work", {}, [](std::int64_t i) { return i + 1; }, one);
            });
      });
  g.keeper(
      "add", {.order = Order::arrival}, [&](std::int64_t i) { sum += i; }, outer);
  auto replicas = g.run({.workers = 3});
  replicas.wait();
  std::int64_t expected = 0;
  for (std::int64_t i = 0; i < 100; ++i) expected += (i + 1) * (i % 10 == 0 ? 2 : 1);
  EXPECT_EQ(sum, expected);
  std::map<std::string, std::int64_t> calls;
  for (const TaskReport& task : replicas.report().tasks) calls[task.name] = task.calls;
  EXPECT_EQ(calls["work[0][0]"] + calls["work[0][1]"], 60);
  EXPECT_EQ(calls["work[1][0]"] + calls["work[1][1]"], 50);
}

TEST(Htgs, GraphAsProducerAndConsumer) {
  Graph g("ends");
  const auto in = g.input<std::int64_t>("in");
  const auto out = g.task(
      "double", {}, [](std::int64_t i) { return 2 * i; }, in);
  g.output("out", {.order = Order::stamp}, out);
  g.configure({.window = 4});
  auto ends = g.run({.workers = 2});
  std::jthread producer([&] {
    for (std::int64_t i = 0; i < 1000; ++i) EXPECT_TRUE(ends.push(in, i));
    ends.close(in);
  });
  std::int64_t next = 0;
  while (const auto item = ends.pop(out)) EXPECT_EQ(*item, 2 * next++);
  EXPECT_EQ(next, 1000);
  ends.wait();
  EXPECT_LE(ends.report().most_items, 4);
}

}  // namespace
}  // namespace tessera::graph
