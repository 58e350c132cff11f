// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

#include "tessera/graph/graph.hpp"

namespace tessera::graph {
namespace {

using Number = std::int64_t;

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
