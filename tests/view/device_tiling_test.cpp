// SPDX-License-Identifier: BSD-3-Clause
// How the threads of a device share the points of a box, and how they join partial values, without a device.
#include <gtest/gtest.h>

#include <vector>

#include "domain/random.hpp"
#include "pipeline/array_source.hpp"
#include "tessera/view/launch.hpp"
#include "tessera/view/reduce.hpp"

namespace tessera {
namespace {

TEST(DeviceTiling, EveryPointHasOneThread) {
  test::Random random(2931);
  for (int i = 0; i < 200; ++i) {
    Box box = random.box(random.small(1, 4), -9, 9, random.one_of<std::int64_t>({1, 3, 40}));
    // Long rows, and tall boxes of few columns.
    if (random.chance(30)) box[0].end = box[0].begin + random.small(100, 400);
    if (random.chance(30) && box.dimensions > 1) box[1].end = box[1].begin + random.small(100, 400);
    const int rows = random.one_of<int>({1, 4});
    const detail::DeviceTiling tiling(box, rows);
    test::WholeArray<int> visits(box);
    std::int64_t outside = 0;
    for (int tile = 0; tile < tiling.count(); ++tile)
      for (int thread = 0; thread < detail::device_team_threads; ++thread) {
        int point[max_dimensions];
        const int count = tiling.first_point(tile, thread, point);
        ASSERT_TRUE(0 <= count && count <= rows);
        for (int row = 0; row < count; ++row) {
          Point at;
          for (int d = 0; d < box.dimensions; ++d) at[d] = point[d] + (d == 1 ? row : 0);
          if (contains(box, at))
            ++visits.at(at);
          else
            ++outside;
        }
      }
    EXPECT_EQ(outside, 0) << to_string(box);
    EXPECT_EQ(visits.values, std::vector<int>(visits.values.size(), 1)) << to_string(box) << " " << rows;
  }
}

TEST(DeviceTiling, NeighboursInARowHaveNeighbouringThreads) {
  const detail::DeviceTiling tiling(Box{{0, 500}, {0, 500}}, 4);
  for (int thread = 0; thread < 32; ++thread) {
    int point[max_dimensions];
    EXPECT_EQ(tiling.first_point(0, thread, point), 4);
    EXPECT_EQ(point[0], thread);
    EXPECT_EQ(point[1], 0);
  }
}

TEST(JoinShares, JoinsAllPartialValues) {
  for (const std::int64_t shares : {1, 16, 64, 65, 256, 1000, 16384}) {
    std::vector<std::int64_t> partials(static_cast<std::size_t>(shares));
    for (std::int64_t i = 0; i < shares; ++i) partials[static_cast<std::size_t>(i)] = i * i;
    std::int64_t count = shares;
    while (count > detail::joined_shares(shares, sizeof(std::int64_t))) {
      const std::int64_t left = detail::left_of_shares(count);
      for (std::int64_t index = 0; index < left; ++index)
        detail::JoinShares<Sum<std::int64_t>>{partials.data(), count, left}(index);
      count = left;
    }
    EXPECT_LE(count, 64);
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < count; ++i) sum += partials[static_cast<std::size_t>(i)];
    EXPECT_EQ(sum, (shares - 1) * shares * (2 * shares - 1) / 6) << shares;
  }
}

}  // namespace
}  // namespace tessera
