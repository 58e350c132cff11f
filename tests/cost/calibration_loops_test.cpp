// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/cost/calibration.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace tessera::cost {
namespace {

TEST(CalibrationLoopsTest, CopyAndAdd) {
  std::vector<float> from(1003), to(1003), sums(1001);
  std::iota(from.begin(), from.end(), 1.0F);
  copy_floats(from, to);
  EXPECT_EQ(to, from);
  add_neighbours(from, sums);
  for (std::size_t i = 0; i < sums.size(); ++i) EXPECT_EQ(sums[i], 3 * from[i + 1]) << i;
}

// Halved, and one added, each number ends at 2. Each turn takes two operations for each number.
TEST(CalibrationLoopsTest, CountsTheOperationsThatItMakes) {
  const Arithmetic done = multiply_and_add(200);
  EXPECT_GT(done.operations, 0);
  EXPECT_EQ(done.result, static_cast<float>(done.operations / 200));
}

}  // namespace
}  // namespace tessera::cost
