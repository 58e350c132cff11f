// SPDX-License-Identifier: BSD-3-Clause
// What the terms of FastFlow, under Loop-of-stencil-reduce (M. Aldinucci et al., 2016), become in graphs of
// tasks.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "counting.hpp"
#include "tessera/graph/graph.hpp"

namespace tessera::graph {
namespace {

using graph_test::count_to;

TEST(FastFlow, Pipe) {
  std::vector<std::int64_t> seen;
  Graph g("pipe");
  auto flow = g.source("read", {}, count_to(200));
  for (int stage = 0; stage < 5; ++stage)
    flow = g.task(
        "stage " + std::to_string(stage), {}, [](std::int64_t i) { return i + 1; }, flow);
  g.sink(
      "write", {.order = Order::stamp}, [&](std::int64_t i) { seen.push_back(i); }, flow);
  g.run({.workers = 2}).wait();
  ASSERT_EQ(seen.size(), 200U);
  for (std::int64_t i = 0; i < 200; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], i + 5);
}

TEST(FastFlow, FarmHasItsWorkers) {
  std::atomic<int> running = 0, most = 0;
  Graph g("farm");
  const auto worked = g.task(
      "work", {.workers = 2},
      [&](std::int64_t i) {
        int now = ++running, before = most;
        while (now > before && !most.compare_exchange_weak(before, now)) {
        }
        std::this_thread::sleep_for(std::chrono::microseconds(200));
        --running;
        return i;
      },
      g.source("read", {}, count_to(100)));
  std::atomic<std::int64_t> sum = 0;
  g.sink(
      "write", {}, [&](std::int64_t i) { sum += i; }, worked);
  g.run({.workers = 4}).wait();
  EXPECT_EQ(sum, 4950);
  EXPECT_EQ(most, 2);
}

TEST(FastFlow, OrderedFarm) {
  std::vector<std::int64_t> seen;
  Graph g("ordered farm");
  const auto worked = g.task(
      "work", {},
      [](std::int64_t i) {
        std::this_thread::sleep_for(std::chrono::microseconds(i * 37 % 200));
        return i;
      },
      g.source("read", {}, count_to(200)));
  g.sink(
      "write", {.order = Order::stamp}, [&](std::int64_t i) { seen.push_back(i); }, worked);
  g.run({.workers = 4}).wait();
  EXPECT_EQ(seen.size(), 200U);
  EXPECT_TRUE(std::ranges::is_sorted(seen));
}

TEST(FastFlow, OrderedFarmThatDrops) {
  // FastFlow's ordered farm expects one output for each input; here the order holds where items are dropped.
  std::vector<std::int64_t> seen;
  Graph g("filter");
  const auto kept = g.task(
      "filter", {}, [](std::int64_t i) { return i % 3 == 0 ? std::optional(i) : std::nullopt; },
      g.source("read", {}, count_to(300)));
  g.sink(
      "write", {.order = Order::stamp}, [&](std::int64_t i) { seen.push_back(i); }, kept);
  g.run({.workers = 4}).wait();
  EXPECT_EQ(seen.size(), 100U);
  EXPECT_TRUE(std::ranges::is_sorted(seen));
}

TEST(FastFlow, WrapAround) {
  // The farm's workers send tasks back until these are small enough: a parallel sum by divide and conquer.
  struct Range {
    std::int64_t begin, end;
  };
  struct Work {
    void operator()(Range range, Out<Range>& smaller, Out<std::int64_t>& sums) {
      if (range.end - range.begin <= 10) {
        std::int64_t sum = 0;
        for (auto i = range.begin; i < range.end; ++i) sum += i;
        return sums(sum);
      }
      const std::int64_t middle = (range.begin + range.end) / 2;
      smaller({range.begin, middle});
      smaller({middle, range.end});
    }
  };
  Graph g("divide");
  const auto whole = g.source("read", {}, [](std::int64_t i) {
    return i < 3 ? std::optional(Range{0, 1000 * (i + 1)}) : std::nullopt;
  });
  const auto back = g.feedback<Range>("back", {.most = 20});
  const auto [smaller, sums] =
      g.task<Range, std::int64_t>("work", {}, Work{}, g.merge<Range>("all", {whole, back}));
  g.close(back, smaller);
  std::int64_t sum = 0;
  g.keeper(
      "add", {.order = Order::arrival}, [&](std::int64_t part) { sum += part; }, sums);
  g.run({.workers = 3}).wait();
  EXPECT_EQ(sum, 1000 * 999 / 2 + 2000 * 1999 / 2 + 3000 * 2999 / 2);
}

}  // namespace
}  // namespace tessera::graph
