// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/domain/counter_hash.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace {

using namespace tessera;

TEST(CounterHash, MixesAsTheGeneratorSplitMix64Does) {
  // These are the first numbers of SplitMix64 with the seed 0, which adds this step before it mixes.
  constexpr std::uint64_t step = 0x9E3779B97F4A7C15U;
  EXPECT_EQ(mixed_bits(step), 0xE220A8397B1DCDAFU);
  EXPECT_EQ(mixed_bits(2 * step), 0x6E789E6AA1B965F4U);
  EXPECT_EQ(mixed_bits(3 * step), 0x06C45D188009454FU);
}

TEST(CounterHash, EveryArgumentAndItsPlaceMatter) {
  std::set<std::uint64_t> found;
  for (const std::int64_t a : {-1, 0, 1, 2})
    for (const std::int64_t b : {-1, 0, 1, 2})
      for (const std::int64_t c : {-1, 0, 1, 2})
        for (const std::uint64_t seed : {0U, 1U, 2U}) found.insert(counter_hash(seed, a, b, c));
  EXPECT_EQ(found.size(), 4U * 4U * 4U * 3U);
}

TEST(CounterHash, NumbersAreSpreadAsTheyAreSaidToBe) {
  EXPECT_EQ(uniform_from_hash(0), 0);
  EXPECT_EQ(uniform_from_hash(~std::uint64_t(0)), 1 - 0x1p-53);
  constexpr int count = 100000;
  double uniforms = 0, normals = 0, squares = 0;
  for (int i = 0; i < count; ++i) {
    uniforms += uniform_from_hash(counter_hash(3, i, 0, 0));
    const double normal = normal_from_hash(counter_hash(3, i, 1, 0));
    ASSERT_LT(std::abs(normal), 3.47);
    normals += normal;
    squares += normal * normal;
  }
  EXPECT_NEAR(uniforms / count, 0.5, 0.005);
  EXPECT_NEAR(normals / count, 0, 0.02);
  EXPECT_NEAR(squares / count, 1, 0.02);
}

}  // namespace
