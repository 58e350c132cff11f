// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "tessera/graph/graph.hpp"

namespace tessera::graph {
namespace {

TEST(GraphKernels, ItemsGoFromOneTaskAtTheKernelsToTheNext) {
  constexpr int items = 200;
  Graph g("kernels");
  const auto numbers = g.source("count", {}, [](std::int64_t i) {
    return i < items ? std::optional<int>(static_cast<int>(i)) : std::nullopt;
  });
  const auto next = g.task(
      "next", {.on = Place::kernels()}, [](int x) { return x + 1; }, numbers);
  const auto twice = g.task(
      "twice", {.on = Place::kernels()}, [](int x) { return 2 * x; }, next);
  const auto sums = g.task(
      "sum", {.on = Place::kernels(), .order = Order::stamp}, [](int x, int y) { return x + y; }, twice,
      next);
  std::vector<int> seen;
  g.sink(
      "write", {.order = Order::stamp}, [&](int x) { seen.push_back(x); }, sums);
  g.run({.workers = 2}).wait();
  ASSERT_EQ(seen.size(), static_cast<std::size_t>(items));
  for (int i = 0; i < items; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], 3 * (i + 1));
}

}  // namespace
}  // namespace tessera::graph
