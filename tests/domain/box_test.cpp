// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/domain/box.hpp"

#include <gtest/gtest.h>

#include "domain/random.hpp"

namespace {

using namespace tessera;
using test::Point;

/// Ranges that may be empty, also with end < begin.
Box any_box(test::Random& random, int dimensions) { return random.box(dimensions, -4, 4, 5, -1); }

TEST(Box, RangesAreHalfOpen) {
  constexpr Range range{2, 5};
  EXPECT_EQ(range.size(), 3);
  EXPECT_TRUE(range.contains(2));
  EXPECT_TRUE(range.contains(4));
  EXPECT_FALSE(range.contains(5));
  EXPECT_FALSE(range.contains(1));
  EXPECT_TRUE((Range{5, 2}.empty()));
  EXPECT_EQ((Range{5, 2}.size()), 0);
}

TEST(Box, WithoutDimensionsIsEmptyAndNeutralInHulls) {
  const Box none;
  const Box box{{1, 3}, {-2, 2}};
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.size(), 0);
  EXPECT_EQ(hull(none, box), box);
  EXPECT_EQ(hull(box, none), box);
  EXPECT_TRUE(box.contains(none));
  EXPECT_TRUE(intersection(box, none).empty());
  EXPECT_TRUE(intersection(none, box).empty());
}

TEST(Box, OfExtentsStartsAtTheOrigin) {
  const std::vector<int> extents = {7, 1, 3};
  EXPECT_EQ(Box::of_extents(extents), (Box{{0, 7}, {0, 1}, {0, 3}}));
}

TEST(Box, OneThatHasMoreDimensionsIsNotContained) {
  EXPECT_FALSE((Box{{0, 4}}.contains(Box{{0, 4}, {0, 4}})));
}

TEST(Box, SizeCountsThePoints) {
  test::Random random(1);
  for (int i = 0; i < 500; ++i) {
    const Box box = any_box(random, random.small(1, 4));
    std::int64_t points = 0;
    test::for_each_point(box, [&](const Point&) { ++points; });
    EXPECT_EQ(box.size(), points) << to_string(box);
    EXPECT_EQ(box.empty(), points == 0) << to_string(box);
  }
}

TEST(Box, IntersectionHoldsThePointsOfBoth) {
  test::Random random(2);
  for (int i = 0; i < 1000; ++i) {
    const int dimensions = random.small(1, 3);
    const Box a = any_box(random, dimensions), b = any_box(random, dimensions);
    const Box common = intersection(a, b);
    std::int64_t points = 0;
    test::for_each_point(a, [&](const Point& p) {
      points += contains(b, p);
      EXPECT_EQ(contains(common, p), contains(b, p));
    });
    EXPECT_EQ(common.size(), points) << to_string(a) << " and " << to_string(b);
  }
}

TEST(Box, HullIsTheSmallestBoxThatHoldsBoth) {
  test::Random random(3);
  for (int i = 0; i < 1000; ++i) {
    const int dimensions = random.small(1, 4);
    const Box a = any_box(random, dimensions), b = any_box(random, dimensions);
    const Box both = hull(a, b);
    EXPECT_TRUE(both.contains(a) && both.contains(b));
    if (a.empty() && b.empty()) {
      EXPECT_TRUE(both.empty());
    } else {
      for (int d = 0; d < dimensions; ++d)
        for (const auto& [cut_low, cut_high] : {std::pair{1, 0}, std::pair{0, 1}}) {
          Box less = both;
          less[d].begin += cut_low;
          less[d].end -= cut_high;
          EXPECT_FALSE(less.contains(a) && less.contains(b)) << to_string(less);
        }
    }
  }
}

TEST(Box, ContainsIsTrueExactlyWhenEveryPointIsInside) {
  test::Random random(4);
  int contained = 0;
  for (int i = 0; i < 3000; ++i) {
    const int dimensions = random.small(1, 3);
    const Box a = random.box(dimensions, -2, 0, 6), b = any_box(random, dimensions);
    bool all = true;
    test::for_each_point(b, [&](const Point& p) { all = all && contains(a, p); });
    EXPECT_EQ(a.contains(b), all) << to_string(a) << " and " << to_string(b);
    contained += all && !b.empty();
  }
  EXPECT_GT(contained, 100);
}

TEST(Box, DifferenceIsDisjointAndCovers) {
  test::Random random(5);
  for (int i = 0; i < 1000; ++i) {
    const int dimensions = random.small(1, 4);
    const Box a = any_box(random, dimensions), b = any_box(random, dimensions);
    const std::vector<Box> parts = difference(a, b);
    EXPECT_LE(parts.size(), static_cast<std::size_t>(2 * dimensions));
    std::int64_t points = 0;
    for (const Box& part : parts) {
      EXPECT_FALSE(part.empty());
      points += part.size();
    }
    EXPECT_EQ(points, a.size() - intersection(a, b).size());
    test::for_each_point(a, [&](const Point& p) {
      int holders = 0;
      for (const Box& part : parts) holders += contains(part, p);
      EXPECT_EQ(holders, contains(b, p) ? 0 : 1) << to_string(a) << " without " << to_string(b);
    });
  }
}

TEST(Box, DifferenceWithABoxWithoutDimensionsIsTheBox) {
  const Box box{{0, 3}, {0, 2}};
  EXPECT_EQ(difference(box, Box{}), std::vector<Box>{box});
  EXPECT_TRUE(difference(Box{}, box).empty());
}

TEST(Box, EqualityLooksAtDimensionsAndRanges) {
  EXPECT_EQ((Box{{0, 1}, {2, 3}}), (Box{{0, 1}, {2, 3}}));
  EXPECT_FALSE((Box{{0, 1}, {2, 3}} == Box{{0, 1}}));
  EXPECT_FALSE((Box{{0, 1}, {2, 3}} == Box{{0, 1}, {2, 4}}));
}

TEST(Box, TextNamesEveryRange) {
  EXPECT_EQ(to_string(Box{{0, 4}, {2, 9}}), "[0, 4) x [2, 9)");
  EXPECT_EQ(to_string(Box{{-1, 13}}), "[-1, 13)");
  EXPECT_EQ(to_string(Box{{0, 4}, {2, 2}}), "empty");
  EXPECT_EQ(to_string(Box{}), "empty");
}

}  // namespace
