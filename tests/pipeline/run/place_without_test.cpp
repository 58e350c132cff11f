// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/run/bindings.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace {

using namespace tessera;

/// Returns a plan with buffers, each of which is given as its offset and its bytes.
Plan plan_of(const std::vector<std::pair<std::int64_t, std::int64_t>>& buffers) {
  Plan plan;
  for (const auto& [offset, bytes] : buffers) {
    plan.buffers.push_back({.box = {}, .offset = offset, .bytes = bytes});
  }
  return plan;
}

TEST(PlaceWithout, MovesTogetherWhatIsKept) {
  // The third buffer shares memory with the second and the fourth one.
  const Plan plan = plan_of({{0, 128}, {128, 256}, {192, 320}, {448, 100}, {576, 64}});
  const auto placed = [&](const IdVector<BufferId, bool>& is_left_out,
                          const IdVector<BufferId, std::int64_t>& expected) {
    IdVector<BufferId, std::int64_t> offsets;
    const std::int64_t bytes = place_without(plan, is_left_out, offsets);
    EXPECT_EQ(offsets, expected);
    return bytes;
  };
  EXPECT_EQ(placed({false, false, false, false, false}, {0, 128, 192, 448, 576}), 640);
  EXPECT_EQ(placed({true, false, false, false, false}, {-1, 0, 64, 320, 448}), 512);
  EXPECT_EQ(placed({false, false, true, false, true}, {0, 128, -1, 384, -1}), 512);
  EXPECT_EQ(placed({true, true, true, true, false}, {-1, -1, -1, -1, 0}), 64);
  EXPECT_EQ(placed({true, true, true, true, true}, {-1, -1, -1, -1, -1}), 0);
}

}  // namespace
