// SPDX-License-Identifier: BSD-3-Clause
// The searches for nearest centres and the exact sums of k-means, each by itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "apps/kmeans/pipeline.hpp"
#include "domain/random.hpp"
#include "tessera/view/instruction_sets.hpp"

namespace {

using namespace tessera;
using test::Random;

/// Expects that each set of instructions finds the same labels.
template <class T>
void expect_same_labels_of_all_sets(int dimensions, int clusters) {
  Random random(8);
  const InstructionSet all = instruction_set();
  const int count = 4 * kmeans::points_together;
  std::vector<T> centres(static_cast<std::size_t>(dimensions * clusters));
  for (T& number : centres) number = static_cast<T>(random.small(-500, 500)) / 77;
  auto* const turned = new (std::align_val_t{64}) T[static_cast<std::size_t>(dimensions * count)];
  for (int i = 0; i < dimensions * count; ++i) turned[i] = static_cast<T>(random.small(-500, 500)) / 79;
  const kmeans::CentreTable<T> table(centres.data(), clusters, dimensions, 0);
  std::vector<std::int32_t> expected(std::size_t{count}), labels(std::size_t{count});
  kmeans::find_nearest(table, turned, count, expected.data());
  EXPECT_TRUE(std::ranges::any_of(expected, [](std::int32_t label) { return label >= 0; }));
  for (const InstructionSet set : {InstructionSet::baseline, InstructionSet::avx2, InstructionSet::avx512}) {
    limit_instruction_set(set);
    kmeans::find_nearest(table, turned, count, labels.data());
    EXPECT_EQ(labels, expected) << to_string(set) << ", " << dimensions;
  }
  limit_instruction_set(all);
  ::operator delete[](turned, std::align_val_t{64});
}

TEST(KMeansNearest, EverySetOfInstructionsGivesTheSameLabels) {
  for (const auto& [dimensions, clusters] : {std::pair{7, 21}, {70, 9}, {130, 20}}) {
    expect_same_labels_of_all_sets<float>(dimensions, clusters);
    expect_same_labels_of_all_sets<double>(dimensions, clusters);
  }
}

/// Expects the labels of plain loops from points in rows and from points in planes, with every set of
/// instructions.
template <class T>
void expect_nearest(int dimensions, int clusters) {
  Random random(21);
  constexpr int count = 131;
  std::vector<T> centres(static_cast<std::size_t>(dimensions * clusters)),
      rows(std::size_t(dimensions) * count), planes(rows.size());
  // Many points are as near to one centre as to another one, as numbers are few.
  for (T& coordinate : centres) coordinate = static_cast<T>(random.small(-3, 3)) / 4;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i] = static_cast<T>(random.small(-3, 3)) / 4;
    const auto dimension = i % std::size_t(dimensions), point = i / std::size_t(dimensions);
    planes[dimension * count + point] = rows[i];
  }
  const kmeans::CentreTable<T> table(centres.data(), clusters, dimensions, 0);
  std::vector<std::int32_t> expected;
  for (int i = 0; i < count; ++i)
    expected.push_back(table.nearest_by_squares(
        std::vector<double>(rows.begin() + i * dimensions, rows.begin() + (i + 1) * dimensions).data()));
  const InstructionSet all = instruction_set();
  for (const InstructionSet set : {InstructionSet::baseline, InstructionSet::avx2, InstructionSet::avx512}) {
    limit_instruction_set(set);
    for (const kmeans::PointRow<T>& row : {kmeans::PointRow<T>{rows.data(), dimensions, 1, count, 0},
                                           kmeans::PointRow<T>{planes.data(), 1, count, count, 0}}) {
      kmeans::LabelFinder<T> finder(centres.data(), clusters, dimensions, 0, kmeans::Distances::fused);
      std::vector<std::int32_t> found;
      finder.for_each(row, [&](std::int64_t, int taken, const std::int32_t* labels) {
        found.insert(found.end(), labels, labels + taken);
      });
      EXPECT_EQ(found, expected) << to_string(set) << ", " << dimensions << ", " << clusters;
    }
  }
  limit_instruction_set(all);
}

TEST(KMeansNearest, OfPointsInRowsAndInPlanes) {
  for (const auto& [dimensions, clusters] :
       {std::pair{1, 64}, {16, 64}, {7, 58}, {33, 30}, {130, 61}, {70, 32}, {3, 65}, {2, 130}}) {
    expect_nearest<float>(dimensions, clusters);
    expect_nearest<double>(dimensions, clusters);
  }
}

/// Expects exact sums of coordinates that are multiples of 2^bottom and less than 2^top.
template <class In>
void expect_exact_sums(int dimensions, int top, int bottom, const kmeans::PointRow<In>& points) {
  constexpr int clusters = 3;
  const std::int64_t all = 4 * points.count;
  const kmeans::Exponents exponents{top, bottom};
  const kmeans::Windows windows = kmeans::Windows::of(exponents, all);
  std::vector<std::int64_t> value(
      static_cast<std::size_t>(kmeans::ClusterSums::bytes(clusters, dimensions, windows.count) / 8));
  kmeans::ClusterSums sums(reinterpret_cast<std::byte*>(value.data()), clusters, dimensions, windows.count);
  sums.clear();
  sums.set_exponents(exponents);
  std::vector<std::int32_t> labels;
  for (int i = 0; i < points.count; ++i) labels.push_back(i % 5 == 0 ? 2 : 0);
  for (int turn = 0; turn < 2; ++turn) {
    kmeans::PointAdder<In> adder(sums, clusters, dimensions, windows);
    const int half = static_cast<int>(points.count / 2);
    adder.add(points, 0, half, labels.data());
    adder.add(points, half, static_cast<int>(points.count) - half, labels.data() + half);
  }
  for (int k = 0; k < clusters; ++k)
    for (int j = 0; j < dimensions; ++j) {
      ExactSum<double> sum;
      std::int64_t count = 0;
      for (int i = 0; i < points.count; ++i)
        if (labels[static_cast<std::size_t>(i)] == k) {
          for (int turn = 0; turn < 2; ++turn)
            sum.add(static_cast<double>(points.point(i)[j * points.coordinate_stride]));
          count += 2;
        }
      EXPECT_EQ(sums.count(k), count);
      EXPECT_EQ(sums.sum(k, j, windows), sum.value()) << top << ", " << bottom << ", " << k << ", " << j;
    }
}

TEST(KMeansSums, AreExactInNarrowAndInWideWindows) {
  Random random(22);
  constexpr int count = 1500;
  // All numbers have the same sign, so that sums in 32 bits would overflow if they were not passed on.
  for (const int dimensions : {5, 16, 37})
    for (const auto& [top, bottom] : {std::pair{3, -15},
                                      {3, -19},
                                      {3, -20},
                                      {0, -41},
                                      {0, -44},
                                      {0, -46},
                                      {-90, -130},
                                      {120, 98},
                                      {120, 80},
                                      {0, -149}}) {
      std::vector<float> numbers(std::size_t(dimensions) * count);
      for (float& number : numbers) {
        const int bits = std::min(24, random.small(1, top - bottom));
        const int high = random.small(bottom + bits, top);
        number = std::ldexp(static_cast<float>((1 << bits) - 1 - random.small(0, 1)), high - bits);
      }
      expect_exact_sums<float>(dimensions, top, bottom, {numbers.data(), dimensions, 1, count, 0});
      expect_exact_sums<float>(dimensions, top, bottom, {numbers.data(), 1, count, count, 0});
      const std::vector<double> wide(numbers.begin(), numbers.end());
      expect_exact_sums<double>(dimensions, top, bottom, {wide.data(), dimensions, 1, count, 0});
    }
  std::vector<std::uint16_t> integers(std::size_t(16) * count);
  for (std::uint16_t& integer : integers) integer = static_cast<std::uint16_t>(random.small(60000, 65535));
  expect_exact_sums<std::uint16_t>(16, 16, 0, {integers.data(), 1, count, count, 0});
}

TEST(KMeansWindows, SplitNumbersOfAnyRange) {
  for (const std::int64_t points : {1, 1000, 1 << 30})
    for (const int bottom : {-149, -20, 0, 3}) {
      const kmeans::Exponents exponents{100, bottom};
      const kmeans::Windows windows = kmeans::Windows::of(exponents, points);
      EXPECT_EQ(windows.count, kmeans::Windows::needed(100 - bottom, points));
      EXPECT_LE(windows.unit[windows.count - 1], bottom);
      EXPECT_GE(windows.unit[0] + kmeans::Windows::width(points), 100);
    }
}

TEST(KMeansExponents, OfNumbersInRowsAndInPlanes) {
  const float least = std::numeric_limits<float>::denorm_min();
  for (const auto& [numbers, top, bottom] : {std::tuple{std::vector<float>{0, 1, -3, 0.5F}, 2, -1},
                                             {{least, 0}, -148, -149},
                                             {{3 * least, -7}, 3, -149},
                                             {{0x1p127F, 0x1.000002p0F}, 128, -23},
                                             {{}, 0, 0},
                                             {{-8}, 4, 3}})
    for (const std::size_t place : {0, 40, 96}) {
      // The first ones are added in vectors, and the last ones one by one.
      std::vector<float> all(99);
      std::copy(numbers.begin(), numbers.end(),
                all.begin() + static_cast<std::ptrdiff_t>(std::min(place, 99 - numbers.size())));
      const Box box{{0, 3}, {0, 33}};
      const kmeans::FindExponents<float, 2, 1> find{kmeans::Layout<2, 1>::of(box), ""};
      std::vector<std::int64_t> value(3);
      find.init(reinterpret_cast<std::byte*>(value.data()));
      const ArrayReference array{reinterpret_cast<std::byte*>(all.data()), {1, 3}};
      find.add(reinterpret_cast<std::byte*>(value.data()), Box{{0, 33}},
               tessera::LibraryBlock<const float>(array, box));
      std::int32_t result[2] = {};
      find.store(reinterpret_cast<std::byte*>(value.data()), result);
      EXPECT_EQ(result[0], top);
      EXPECT_EQ(result[1], bottom);
    }
}

}  // namespace
