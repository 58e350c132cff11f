// SPDX-License-Identifier: BSD-3-Clause
// The bounds of distances that leave out searches are on the safe side.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "apps/kmeans/bounds.hpp"
#include "pipeline/array_source.hpp"

namespace {

using namespace tessera;
using kmeans::PointBounds;
using test::Random;

TEST(KMeansBounds, ArePackedToTheSafeSide) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Random random(1);
  std::vector<double> numbers = {0,       1,       infinity, 0x1p-149, 0x1p-160, 0x1p-500, 0x1.ffffffp0,
                                 0x1p100, 0x1p127, 0x1p200};
  for (int i = 0; i < 1000; ++i)
    numbers.push_back(std::ldexp(random.small(1, 1 << 20) / 3.0, random.small(-150, 60)));
  for (const double upper : numbers) {
    const PointBounds bounds{(1 << 20) - 1, upper, upper, upper > 1};
    const PointBounds kept = PointBounds::of(bounds.packed());
    EXPECT_EQ(kept.label, bounds.label);
    EXPECT_EQ(kept.was_searched, bounds.was_searched);
    EXPECT_GE(kept.upper, upper);
    EXPECT_LE(kept.lower, upper);
    if (upper > 0x1p-120 && upper < 0x1p100) {
      EXPECT_LE(kept.upper, upper * (1 + 0x1p-13));
      EXPECT_GE(kept.lower, upper * (1 - 0x1p-12));
    }
    // Bounds that do not change from turn to turn are not rounded again.
    EXPECT_EQ(kept.packed(), bounds.packed());
  }
  EXPECT_EQ(PointBounds::of(PointBounds{0, 1, -3, false}.packed()).lower, 0);
  EXPECT_TRUE(std::isnan(PointBounds::of(kmeans::unknown_bounds).upper));
  EXPECT_EQ(PointBounds::of(kmeans::unknown_bounds).lower, 0);
  EXPECT_EQ(PointBounds::of(kmeans::unknown_bounds).label, 0);
}

/// Expects that no other centre is nearer than the finder says, and that it says enough to be of use.
template <class T>
void expect_safe_others(int dimensions, int clusters, T offset, double far) {
  Random random(2);
  const auto number = [&] { return static_cast<T>(random.small(-500, 500)) / 512 + offset; };
  const int count = 500, exponent = std::ilogb(std::abs(offset) + 1) + 1;
  std::vector<T> centres(static_cast<std::size_t>(dimensions * clusters)), points;
  for (T& coordinate : centres) coordinate = number();
  centres.back() += static_cast<T>(far);
  for (int i = 0; i < dimensions * count; ++i) points.push_back(number());
  kmeans::LabelFinder<T> finder(centres.data(), clusters, dimensions, exponent, true);
  double least_share = 1;
  int bounded = 0;
  finder.for_each(kmeans::PointRow<T>{points.data(), dimensions, 1, count, 0},
                  [&](std::int64_t begin, int found, const std::int32_t* labels) {
                    for (int i = 0; i < found; ++i) {
                      double second = std::numeric_limits<double>::infinity();
                      for (int k = 0; k < clusters; ++k) {
                        double square = 0;
                        for (int j = 0; j < dimensions; ++j)
                          square += std::pow(double(points[std::size_t((begin + i) * dimensions + j)]) -
                                                 double(centres[std::size_t(k * dimensions + j)]),
                                             2);
                        if (k != labels[i]) second = std::min(second, std::sqrt(square) * finder.scale());
                      }
                      EXPECT_LE(finder.other_distance(i), second) << begin + i;
                      if (finder.other_distance(i) <= 0) continue;
                      ++bounded;
                      least_share = std::min(least_share, finder.other_distance(i) / second);
                    }
                  });
  // A centre that is extremely far away may take the digits from all bounds, but a nearer one may not.
  if (far < 1e10) {
    EXPECT_GT(bounded, count * 9 / 10) << dimensions << ", " << clusters << ", " << offset << ", " << far;
  }
  if (clusters > 2) {
    EXPECT_GT(least_share, 0.9);
  }
}

TEST(KMeansBounds, OfOtherCentresAreSafe) {
  for (const auto& [dimensions, clusters] : {std::pair{2, 5}, {16, 64}, {33, 3}, {70, 9}, {1, 2}, {3, 130}})
    for (const double far : {0.0, 1e3, 1e15}) {
      expect_safe_others<float>(dimensions, clusters, 0, far);
      expect_safe_others<float>(dimensions, clusters, 100, far);
      expect_safe_others<double>(dimensions, clusters, 0, far);
    }
}

TEST(KMeansBounds, MovesAndHalfDistances) {
  const std::vector<float> centres = {0, 0, 3, 4, 0, 2}, before = {0, 0, 3, 3, 0, 1000};
  const kmeans::FindMoves<float> find{{6}, 3, 2};
  std::vector<std::int64_t> first(7), second(7);
  auto* const into = reinterpret_cast<std::byte*>(first.data());
  auto* const from = reinterpret_cast<std::byte*>(second.data());
  ASSERT_EQ(find.value_bytes(), 7 * 8);
  const double exponents[] = {1, 0};
  const auto block = []<class T>(const T* data, std::int64_t count) {
    LibraryBlock<const T> made({}, Box{{0, count}});
    made.data = data;
    return made;
  };
  for (const auto& [value, box] : {std::pair{into, Box{{0, 1}}}, {from, Box{{1, 3}}}}) {
    find.init(value);
    find.add(value, box, block(centres.data(), 6), block(before.data(), 6), block(exponents, 2));
  }
  kmeans::FindMoves<float>::join(into, from);
  double found[6];
  find.store(into, found);
  // Coordinates are divided by two.
  const double expected[] = {0, 0.5, 499, 0.5, std::sqrt(13.0) / 4, 0.5};
  for (int i = 0; i < 6; ++i) {
    EXPECT_NEAR(found[i], expected[i], 1e-5 * expected[i]);
    if (i < 3)
      EXPECT_GE(found[i], expected[i]);
    else
      EXPECT_LE(found[i], expected[i]);
  }
}

}  // namespace
