// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/blocks.hpp"

#include <gtest/gtest.h>

#include <random>

namespace tessera::io::detail {
namespace {

/// How many chunks a box touches in one dimension.
std::int64_t chunks_along(int d, const Box& box, const Box& domain, const Point& chunk) {
  return (box[d].end - 1 - domain[d].begin) / chunk[d] - (box[d].begin - domain[d].begin) / chunk[d] + 1;
}

/// Returns whether a part ends where its box or a chunk does.
bool ends_between_chunks(const Box& part, const Box& box, const Box& domain, const Point& chunk) {
  for (int d = 0; d < box.dimensions; ++d)
    for (const auto& [mine, all] :
         {std::pair(part[d].begin, box[d].begin), std::pair(part[d].end, box[d].end)})
      if (mine != all && (mine - domain[d].begin) % chunk[d] != 0) return false;
  return true;
}

TEST(GroupsOfChunks, PartsCoverTheBoxOnceAndTouchFewChunks) {
  std::mt19937 random(1);
  const auto up_to = [&](int most) { return std::uniform_int_distribution(1, most)(random); };
  for (int trial = 0; trial < 300; ++trial) {
    Box domain, box;
    Point chunk;
    domain.dimensions = box.dimensions = up_to(4);
    for (int d = 0; d < domain.dimensions; ++d) {
      domain[d] = {up_to(9) - 5, up_to(9) + 5};
      chunk[d] = up_to(6);
      box[d].begin = domain[d].begin + up_to(static_cast<int>(domain[d].size())) - 1;
      box[d].end = box[d].begin + up_to(static_cast<int>(domain[d].end - box[d].begin));
    }
    const std::int64_t limit = up_to(20);
    const std::vector<Box> parts = groups_of_chunks(box, domain, chunk, limit);
    std::int64_t points = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      std::int64_t chunks = 1;
      for (int d = 0; d < box.dimensions; ++d) chunks *= chunks_along(d, parts[i], domain, chunk);
      EXPECT_LE(chunks, limit);
      EXPECT_TRUE(box.contains(parts[i]));
      EXPECT_TRUE(ends_between_chunks(parts[i], box, domain, chunk));
      points += parts[i].size();
      for (std::size_t j = 0; j < i; ++j) EXPECT_TRUE(intersection(parts[i], parts[j]).empty());
    }
    EXPECT_EQ(points, box.size());
  }
}

TEST(GroupsOfChunks, AsManyAlongXAsAllowed) {
  const Box image{{0, 1000}, {0, 100}};
  const std::vector<Box> parts = groups_of_chunks(image, image, {{100, 10}}, 25);
  ASSERT_EQ(parts.size(), 5U);
  EXPECT_EQ(parts.front(), (Box{{0, 1000}, {0, 20}}));
  EXPECT_EQ(groups_of_chunks(image, image, {{1, 100}}, 300).front(), (Box{{0, 300}, {0, 100}}));
  EXPECT_EQ(groups_of_chunks(image, image, {{100, 10}}, 0).size(), 100U);
}

TEST(GroupsOfChunks, NothingOfNothing) {
  EXPECT_TRUE(groups_of_chunks({{3, 3}, {0, 5}}, {{0, 9}, {0, 9}}, {{2, 2}}, 4).empty());
}

}  // namespace
}  // namespace tessera::io::detail
