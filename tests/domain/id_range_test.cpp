// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/domain/id_range.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace {

using tessera::IdRange;

TEST(IdRange, HasTheIntegersInOrder) {
  const IdRange ids(3, 6);
  EXPECT_EQ(std::vector<int>(ids.begin(), ids.end()), (std::vector{3, 4, 5}));
  EXPECT_TRUE(std::ranges::any_of(ids, [](int id) { return id == 5; }));
  EXPECT_FALSE(std::ranges::any_of(ids, [](int id) { return id == 6; }));
}

TEST(IdRange, MayBeEmpty) {
  const IdRange none(4, 4);
  EXPECT_TRUE(none.begin() == none.end());
}

}  // namespace
