// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/file_patterns.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace tessera::app {
namespace {

TEST(NaturalOrder, ComparesNumbersAsNumbers) {
  const std::vector<std::string> sorted{"",     "01", "1",    "2",     "10",  "a",    "a1",   "a1b",
                                        "a01c", "a2", "a2.5", "a2.10", "a10", "a10a", "a100", "b"};
  for (std::size_t i = 0; i < sorted.size(); ++i)
    for (std::size_t k = 0; k < sorted.size(); ++k)
      EXPECT_EQ(is_before(sorted[i], sorted[k]), i < k) << sorted[i] << " " << sorted[k];
}

TEST(NaturalOrder, IsAnOrder) {
  std::mt19937 random(7);
  const auto name = [&] {
    std::string text;
    for (auto length = random() % 6; length > 0; --length) text += "0129a."[random() % 6];
    return text;
  };
  for (int trial = 0; trial < 20000; ++trial) {
    const std::string a = name(), b = name(), c = name();
    EXPECT_FALSE(is_before(a, a));
    EXPECT_NE(is_before(a, b) || is_before(b, a), a == b) << a << " " << b;
    EXPECT_FALSE(is_before(a, b) && is_before(b, a));
    if (is_before(a, b) && is_before(b, c)) {
      EXPECT_TRUE(is_before(a, c)) << a << " " << b << " " << c;
    }
  }
}

TEST(NaturalOrder, HugeNumbersHaveAPlace) {
  EXPECT_TRUE(is_before("f99999999999999999999999", "f100000000000000000000000"));
  EXPECT_FALSE(is_before("f100000000000000000000000", "f99999999999999999999999"));
}

}  // namespace
}  // namespace tessera::app
