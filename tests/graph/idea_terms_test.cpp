// SPDX-License-Identifier: BSD-3-Clause
// What the terms of IDEA (iterative dataflow for image processing) become in graphs of tasks.
#include <gtest/gtest.h>

#include <atomic>
#include <deque>

#include "counting.hpp"
#include "tessera/graph/graph.hpp"

namespace tessera::graph {
namespace {

using graph_test::count_to;

TEST(Idea, PortChannelDatablock) {
  // Ports are parameters, channels are flows, and a datablock that two ports read is not copied.
  struct Block {
    explicit Block(std::int64_t given) : value(given) {}
    Block(const Block& other) : value(other.value), copies(other.copies + 1) {}
    Block(Block&&) = default;
    std::int64_t value;
    int copies = 0;
  };
  Graph g("blocks");
  const auto blocks = g.task(
      "make", {}, [](std::int64_t i) { return Block(i); }, g.source("read", {}, count_to(50)));
  const auto one = g.task(
      "one", {}, [](const Block& block) { return block.value + block.copies; }, blocks);
  const auto two = g.task(
      "two", {}, [](const Block& block, std::int64_t x) { return block.value + x + block.copies; }, blocks,
      one);
  std::int64_t sum = 0;
  g.sink(
      "write", {}, [&](std::int64_t x) { sum += x; }, two);
  g.run({.workers = 3}).wait();
  EXPECT_EQ(sum, 2 * 49 * 50 / 2);
}

TEST(Idea, ControlSignalsAreScopes) {
  // The end of a sequence reaches a task behind the last of its items, whatever way each took.
  std::vector<std::size_t> sizes;
  Graph g("sequences");
  const auto parts = g.scatter<std::int64_t>(
      "split", {},
      [](std::int64_t n, Out<std::int64_t>& out) {
        for (std::int64_t i = 0; i < n; ++i) out(i);
      },
      g.source("read", {}, count_to(20)));
  const auto kept = g.task(
      "filter", {}, [](std::int64_t i) { return i % 4 == 0 ? std::nullopt : std::optional(i); }, parts);
  g.sink(
      "write", {.order = Order::stamp},
      [&](const std::vector<std::int64_t>& all) { sizes.push_back(all.size()); }, g.gather("end", kept));
  g.run({.workers = 4}).wait();
  ASSERT_EQ(sizes.size(), 20U);
  for (std::size_t n = 0; n < 20; ++n) EXPECT_EQ(sizes[n], n - (n + 3) / 4);
}

TEST(Idea, MultiPortPriorities) {
  // Items of one stamp come in the order of the ports.
  struct Ports {
    std::string text;
    void operator()(std::int64_t, Out<std::string>&) { text += "a"; }
    void operator()(double, Out<std::string>&) { text += "b"; }
    void operator()(char, Out<std::string>& out) { out(text += "c"); }
  };
  Graph g("ports");
  const auto numbers = g.source("read", {}, count_to(30));
  const auto third = g.task(
      "third", {}, [](std::int64_t) { return 'c'; }, numbers);
  const auto second = g.task(
      "second", {}, [](std::int64_t i) { return static_cast<double>(i); }, numbers);
  const auto texts = g.keeper<std::string>("ports", {.order = Order::stamp, .single = true}, Ports{}, numbers,
                                           second, third);
  std::string last;
  g.sink(
      "write", {.order = Order::stamp}, [&](const std::string& text) { last = text; }, texts);
  std::string expected;
  for (int i = 0; i < 30; ++i) expected += "abc";
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    g.rehearse(seed);
    EXPECT_EQ(last, expected);
  }
}

TEST(Idea, PredicatedChannelDrops) {
  std::int64_t sum = 0;
  Graph g("predicate");
  const auto numbers = g.source("read", {}, count_to(100));
  const auto odd = g.task(
      "odd", {}, [](std::int64_t i) { return i % 2 == 1 ? std::optional(i) : std::nullopt; }, numbers);
  // What waits for a dropped item is dropped, too.
  g.sink(
      "write", {}, [&](std::int64_t a, std::int64_t b) { sum += a + b; }, odd,
      g.task(
          "same", {}, [](std::int64_t i) { return i; }, numbers));
  g.run({.workers = 4}).wait();
  EXPECT_EQ(sum, 2 * 2500);
}

TEST(Idea, PredicatedChannelQueues) {
  // Items wait in the state of a keeper until the predicate holds.
  struct Gate {
    std::deque<std::int64_t> queue;
    void operator()(std::int64_t i, Out<std::int64_t>& out) {
      queue.push_back(i);
      if (i % 10 != 9) return;
      for (const std::int64_t waiting : std::exchange(queue, {})) out(waiting);
    }
    void finish(Out<std::int64_t>& out) {
      for (const std::int64_t waiting : queue) out(waiting);
    }
  };
  std::vector<std::int64_t> seen;
  Graph g("gate");
  g.keeper(
      "write", {.order = Order::arrival}, [&](std::int64_t i) { seen.push_back(i); },
      g.keeper<std::int64_t>("gate", {.order = Order::stamp}, Gate{}, g.source("read", {}, count_to(95))));
  g.run({.workers = 1}).wait();
  EXPECT_EQ(seen.size(), 95U);
}

TEST(Idea, InitializerChannelAndIteratorPorts) {
  // What enters a loop initializes it. It ends after a number of turns, by a condition, or by its scope.
  std::vector<std::int64_t> by_number, by_condition, nested;
  Graph g("loops");
  const auto numbers = g.source("read", {}, count_to(40));
  const auto never = [](const std::int64_t&) { return false; };
  const auto times = [&](const char* name, Flow<std::int64_t> x) {
    return g.task(
        name, {}, [](std::int64_t v) { return 3 * v + 1; }, x);
  };
  g.sink(
      "number", {.order = Order::stamp}, [&](std::int64_t v) { by_number.push_back(v); },
      g.loop(
          "for", {.most = 4}, numbers, [&](Flow<std::int64_t> x) { return times("a", x); }, never));
  g.sink(
      "condition", {.order = Order::stamp}, [&](std::int64_t v) { by_condition.push_back(v); },
      g.loop(
          "while", {.most = 100}, numbers, [&](Flow<std::int64_t> x) { return times("b", x); },
          [](const std::int64_t& v) { return v > 5000; }));
  g.sink(
      "nested", {.order = Order::stamp}, [&](std::int64_t v) { nested.push_back(v); },
      g.loop(
          "outer", {.most = 3}, numbers,
          [&](Flow<std::int64_t> x) {
            return g.loop(
                "inner", {.most = 2}, x, [&](Flow<std::int64_t> y) { return times("c", y); }, never);
          },
          never));
  g.run({.workers = 4}).wait();
  ASSERT_EQ(nested.size(), 40U);
  for (std::int64_t i = 0; i < 40; ++i) {
    const auto after = [&](int turns) {
      std::int64_t v = i;
      for (int turn = 0; turn < turns; ++turn) v = 3 * v + 1;
      return v;
    };
    std::int64_t v = 3 * i + 1;
    while (v <= 5000) v = 3 * v + 1;
    const auto at = static_cast<std::size_t>(i);
    EXPECT_EQ(by_number[at], after(4));
    EXPECT_EQ(by_condition[at], v);
    EXPECT_EQ(nested[at], after(6));
  }
}

TEST(Idea, DeterminismRule) {
  // With an order that is said, the result is the same in any order of execution. With the order of arrival
  // it is not, which a rehearsal shows.
  struct Last {
    std::int64_t state = 0;
    void operator()(std::int64_t i, Out<std::int64_t>& out) { out(state = 31 * state + i); }
  };
  const auto results = [](Order order) {
    std::vector<std::int64_t> all;
    std::int64_t last = 0;
    Graph g("order");
    const auto numbers = g.task(
        "pass", {}, [](std::int64_t i) { return i; }, g.source("read", {}, count_to(20)));
    g.keeper(
        "write", {.order = Order::arrival}, [&](std::int64_t i) { last = i; },
        g.keeper<std::int64_t>("state", {.order = order}, Last{}, numbers));
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      g.rehearse(seed);
      all.push_back(last);
    }
    return all;
  };
  const std::vector<std::int64_t> arrival = results(Order::arrival), again = results(Order::arrival);
  EXPECT_EQ(arrival, again);  // A seed that fails fails again.
  EXPECT_NE(std::ranges::count(arrival, arrival.front()), 200);
  std::vector<std::int64_t> seen;
  Graph g("ordered");
  const auto numbers = g.task(
      "pass", {}, [](std::int64_t i) { return i; }, g.source("read", {}, count_to(20)));
  g.sink(
      "write", {.order = Order::stamp}, [&](std::int64_t i) { seen.push_back(i); },
      g.keeper<std::int64_t>("state", {.order = Order::stamp, .single = true}, Last{}, numbers));
  g.rehearse(0);
  const std::vector<std::int64_t> first = std::exchange(seen, {});
  for (std::uint64_t seed = 1; seed < 200; ++seed) {
    g.rehearse(seed);
    EXPECT_EQ(std::exchange(seen, {}), first);
  }
}

}  // namespace
}  // namespace tessera::graph
