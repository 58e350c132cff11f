// SPDX-License-Identifier: BSD-3-Clause
// The terms of FastFlow (M. Aldinucci, M. Danelutto, P. Kilpatrick, M. Torquati: FastFlow: high-level and
// efficient streaming on multi-core, 2017), as graphs have them. Keyed sends between ranks are tested with
// those, and pipelines as tasks by themselves.
#include <gtest/gtest.h>

#include <atomic>

#include "small_graphs.hpp"

namespace tessera::graph {
namespace {

using graph_test::append_to, graph_test::count_to, graph_test::first_numbers, graph_test::work_for;

TEST(FastFlow, Pipe) {
  for (const int workers : {1, 2, 4}) {
    Graph g("pipe");
    auto flow = g.source("count", {}, count_to(500));
    for (int stage = 0; stage < 8; ++stage)
      flow = g.task(
          "stage " + std::to_string(stage), {.workers = 1}, [](int x) { return x + 1; }, flow);
    std::vector<int> seen;
    g.sink("write", {.order = Order::stamp}, append_to(seen), flow);
    g.run({.workers = workers}).wait();
    ASSERT_EQ(seen.size(), 500U);
    for (int x = 0; x < 500; ++x) EXPECT_EQ(seen[static_cast<std::size_t>(x)], x + 8);
  }
}

TEST(FastFlow, Farm) {
  for (const int workers : {1, 2, 4}) {
    std::atomic<int> running{0}, most{0};
    Graph g("farm");
    const auto made = g.task(
        "work", {.workers = 3},
        [&](int x) {
          const int now = ++running;
          for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) continue;
          work_for(2);
          --running;
          return x;
        },
        g.source("emit", {}, count_to(500)));
    std::vector<int> seen;
    g.sink("collect", {}, append_to(seen), made);
    g.run({.workers = workers}).wait();
    std::ranges::sort(seen);
    EXPECT_EQ(seen, first_numbers(500));
    EXPECT_LE(most, std::min(3, workers));
  }
}

TEST(FastFlow, OrderedFarm) {
  // Some workers emit nothing for an item, and later items overtake slow ones: the order is kept all the
  // same.
  std::vector<int> expected;
  for (int x = 0; x < 500; ++x)
    if (x % 7 != 3) expected.push_back(x);
  for (const int workers : {1, 2, 4}) {
    Graph g("ordered farm");
    const auto made = g.task(
        "work", {.workers = 4},
        [](int x) {
          work_for(x % 5 == 0 ? 100 : 0);
          return x % 7 != 3 ? std::optional(x) : std::nullopt;
        },
        g.source("emit", {}, count_to(500)));
    std::vector<int> seen;
    g.sink("collect", {.order = Order::stamp}, append_to(seen), made);
    g.run({.workers = workers}).wait();
    EXPECT_EQ(seen, expected);
  }
}

/// Divides a range until it is small, and adds up what is.
struct Divide {
  using Range = std::pair<int, int>;
  void operator()(const Range& range, Out<Range>& again, Out<int>& out) const {
    const auto [begin, end] = range;
    if (end - begin <= 3) {
      for (int x = begin; x < end; ++x) out(x);
    } else {
      again({begin, (begin + end) / 2});
      again({(begin + end) / 2, end});
    }
  }
};

TEST(FastFlow, WrapAround) {
  for (const int workers : {1, 2, 4}) {
    Graph g("wrap around");
    const auto ranges = g.source("emit", {}, [](std::int64_t i) {
      return i < 10 ? std::optional(std::pair(static_cast<int>(i) * 100, static_cast<int>(i) * 100 + 100))
                    : std::nullopt;
    });
    const auto back = g.feedback<Divide::Range>("back", {.most = 10});
    const auto all = g.merge("all", std::vector{ranges, back});
    auto [again, out] = g.task<Divide::Range, int>("divide", {}, Divide{}, all);
    g.close(back, again);
    std::vector<int> seen;
    g.sink("collect", {}, append_to(seen), out);
    g.run({.workers = workers}).wait();
    std::ranges::sort(seen);
    EXPECT_EQ(seen, first_numbers(1000));
  }
}

TEST(FastFlow, MapAndReduce) {
  for (const int workers : {1, 2, 4}) {
    Graph g("map");
    const auto parts = g.scatter<int>(
        "split", {},
        [](int n, Out<int>& out) {
          for (int k = 0; k < n; ++k) out(k);
        },
        g.source("emit", {}, count_to(60)));
    const auto squares = g.task(
        "map", {}, [](int k) { return k * k; }, parts);
    std::vector<int> seen;
    g.sink("collect", {.order = Order::stamp}, append_to(seen),
           g.task(
               "reduce", {},
               [](const std::vector<int>& all) { return std::accumulate(all.begin(), all.end(), 0); },
               g.gather("gather", squares)));
    g.run({.workers = workers}).wait();
    ASSERT_EQ(seen.size(), 60U);
    for (int n = 0; n < 60; ++n) EXPECT_EQ(seen[static_cast<std::size_t>(n)], (n - 1) * n * (2 * n - 1) / 6);
  }
}

}  // namespace
}  // namespace tessera::graph
