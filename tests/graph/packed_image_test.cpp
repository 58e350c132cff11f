// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/graph/pipeline_task.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "runs_on_ranks.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/graph/graph.hpp"

namespace tessera::graph {
namespace {

using graph_test::on_all_ranks;
using test::world_rank;

TEST(PackedImages, TravelWithoutPadding) {
  std::vector<std::int64_t> seen;
  const Box box{{2, 5}, {1, 3}};
  std::array<std::uint16_t, 14> padded{};
  const HostBlock rows{reinterpret_cast<std::byte*>(padded.data()), ElementType::uint16, box, {1, 7}};
  Graph g("packed");
  const auto images = g.source("pack", {}, [&](std::int64_t i) {
    for (std::size_t at = 0; at < padded.size(); ++at)
      padded[at] = static_cast<std::uint16_t>(100 * static_cast<std::size_t>(i) + at);
    return i < 20 ? std::optional(packed(i, rows)) : std::nullopt;
  });
  const auto sums = g.task(
      "unpack", {.workers = 1},
      [box](const PackedImage& image) {
        std::array<std::uint16_t, 10> wide{};
        unpack(image, {reinterpret_cast<std::byte*>(wide.data()), ElementType::uint16, box, {1, 5}});
        return std::accumulate(wide.begin(), wide.end(), std::int64_t(wide[3] + wide[4]));
      },
      g.send(
          "deal", [](const PackedImage& image) { return image.index; }, images));
  g.sink(
      "keep", {.order = Order::stamp}, [&](std::int64_t sum) { seen.push_back(sum); },
      g.send(
          "collect", [](std::int64_t) { return 0; }, sums));
  g.run(on_all_ranks(2)).wait();
  for (std::size_t i = 0; i < seen.size(); ++i)
    EXPECT_EQ(seen[i], 600 * static_cast<std::int64_t>(i) + 0 + 1 + 2 + 7 + 8 + 9);
  EXPECT_EQ(seen.size(), world_rank() == 0 ? 20U : 0U);
  std::array<std::byte, 4> few{};
  EXPECT_THROW(unpack(packed(0, rows), {few.data(), ElementType::uint8, {{0, 2}, {0, 2}}, {1, 2}}),
               InternalError);
}

}  // namespace
}  // namespace tessera::graph
