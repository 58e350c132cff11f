// SPDX-License-Identifier: BSD-3-Clause
// The searches for nearest centres and the exact sums of k-means, each by itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "apps/kmeans/pipeline.hpp"
#include "domain/random.hpp"
#include "pipeline/limited_instructions.hpp"

namespace {

using namespace tessera;
using test::Random;

/// Expects that each set of instructions finds the same labels, also without distances from other centres.
/// Few of them are doubtful, as numbers are spread out.
template <class T>
void expect_same_labels_of_all_sets(int dimensions, int clusters) {
  Random random(8);
  const int count = 4 * kmeans::points_together;
  std::vector<T> centres(static_cast<std::size_t>(dimensions * clusters));
  for (T& number : centres) number = static_cast<T>(random.small(-500, 500)) / 77;
  auto* const turned = new (std::align_val_t{64}) T[static_cast<std::size_t>(dimensions * count)];
  for (int i = 0; i < dimensions * count; ++i) turned[i] = static_cast<T>(random.small(-500, 500)) / 79;
  const kmeans::CentreTable<T> table(centres.data(), clusters, dimensions, 0);
  std::vector<std::int32_t> expected(std::size_t{count}), labels(std::size_t{count});
  std::vector<T> others(std::size_t{count});
  kmeans::find_nearest(table, turned, count, expected.data(), others.data());
  EXPECT_LT(std::ranges::count(expected, kmeans::doubtful), count / 10) << dimensions << ", " << clusters;
  for (const InstructionSet set : test::all_instruction_sets) {
    const test::LimitedInstructions limited(set);
    kmeans::find_nearest(table, turned, count, labels.data(), others.data());
    EXPECT_EQ(labels, expected) << to_string(set) << ", " << dimensions;
    kmeans::find_nearest(table, turned, count, labels.data());
    EXPECT_EQ(labels, expected) << to_string(set) << ", " << dimensions;
  }
  ::operator delete[](turned, std::align_val_t{64});
}

TEST(KMeansNearest, EverySetOfInstructionsGivesTheSameLabels) {
  for (const auto& [dimensions, clusters] : {std::pair{7, 21}, {70, 9}, {130, 20}, {16, 64}, {3, 200}}) {
    expect_same_labels_of_all_sets<float>(dimensions, clusters);
    expect_same_labels_of_all_sets<double>(dimensions, clusters);
  }
}

/// Returns the number of the nearest centre, and the first one of several.
template <class T>
std::int32_t nearest(const std::vector<T>& centres, int clusters, const T* point, int dimensions) {
  std::vector<double> squares(static_cast<std::size_t>(clusters));
  for (int k = 0; k < clusters; ++k)
    for (int j = 0; j < dimensions; ++j)
      squares[static_cast<std::size_t>(k)] +=
          std::pow(static_cast<double>(point[j]) -
                       static_cast<double>(centres[static_cast<std::size_t>(k * dimensions + j)]),
                   2);
  return static_cast<std::int32_t>(std::ranges::min_element(squares) - squares.begin());
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
  std::vector<std::int32_t> expected;
  for (int i = 0; i < count; ++i)
    expected.push_back(nearest(centres, clusters, rows.data() + i * dimensions, dimensions));
  for (const InstructionSet set : test::all_instruction_sets) {
    const test::LimitedInstructions limited(set);
    for (const kmeans::PointRow<T>& row : {kmeans::PointRow<T>{rows.data(), dimensions, 1, count, 0},
                                           kmeans::PointRow<T>{planes.data(), 1, count, count, 0}}) {
      kmeans::LabelFinder<T> finder(centres.data(), clusters, dimensions, 0);
      std::vector<std::int32_t> found;
      finder.for_each(row, [&](std::int64_t, int taken, const std::int32_t* labels) {
        found.insert(found.end(), labels, labels + taken);
      });
      EXPECT_EQ(found, expected) << to_string(set) << ", " << dimensions << ", " << clusters;
    }
  }
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
  const kmeans::Windows windows = kmeans::Windows::of<In>(exponents, all);
  std::vector<std::int32_t> labels;
  std::vector<std::int64_t> counts(clusters);
  std::vector<ExactSum<double>> expected(static_cast<std::size_t>(clusters * dimensions));
  for (int i = 0; i < points.count; ++i) {
    const int label = i % 5 == 0 ? 2 : 0;
    labels.push_back(label);
    counts[static_cast<std::size_t>(label)] += 2;
    for (int j = 0; j < dimensions; ++j)
      for (int turn = 0; turn < 2; ++turn)
        expected[static_cast<std::size_t>(label * dimensions + j)].add(
            static_cast<double>(points.point(i)[j * points.coordinate_stride]));
  }
  for (const InstructionSet set : test::all_instruction_sets) {
    const test::LimitedInstructions limited(set);
    std::vector<std::int64_t> value(
        static_cast<std::size_t>(kmeans::ClusterSums::bytes(clusters, dimensions, windows.count) / 8));
    kmeans::ClusterSums sums{value.data(), clusters, dimensions, windows.count};
    sums.clear();
    // Points that are added and then subtracted do not change the sums.
    for (const int sign : {1, 1, 1, -1}) {
      kmeans::PointAdder<In> adder(sums, windows, sign);
      const int half = static_cast<int>(points.count / 2);
      adder.add(points, 0, half, labels.data());
      adder.add(points, half, static_cast<int>(points.count) - half, labels.data() + half);
    }
    for (int k = 0; k < clusters; ++k) {
      EXPECT_EQ(sums.count(k), counts[static_cast<std::size_t>(k)]);
      for (int j = 0; j < dimensions; ++j)
        EXPECT_EQ(sums.sum(k, j, windows), expected[static_cast<std::size_t>(k * dimensions + j)].value())
            << to_string(set) << ", " << top << ", " << bottom << ", " << k << ", " << j;
    }
  }
}

TEST(KMeansSums, AreExactInAnyNumberOfWindows) {
  Random random(22);
  constexpr int count = 1500;
  // All numbers of most coordinates have the same sign, so that sums in 32 bits would overflow if they were
  // not passed on. Those of one coordinate are negative, and those of another one have any sign.
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
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        const auto coordinate = i % std::size_t(dimensions);
        const bool is_negative = coordinate == 1 || (coordinate == 3 && random.chance(50));
        const int bits = std::min(24, random.small(1, top - bottom));
        const int high = random.small(bottom + bits, top);
        const int magnitude = (1 << bits) - 1 - random.small(0, 1);
        numbers[i] = std::ldexp(static_cast<float>(is_negative ? -magnitude : magnitude), high - bits);
      }
      std::vector<float> planes(numbers.size());
      for (std::size_t i = 0; i < numbers.size(); ++i)
        planes[i % std::size_t(dimensions) * count + i / std::size_t(dimensions)] = numbers[i];
      expect_exact_sums<float>(dimensions, top, bottom, {numbers.data(), dimensions, 1, count, 0});
      expect_exact_sums<float>(dimensions, top, bottom, {planes.data(), 1, count, count, 0});
      const std::vector<double> wide(numbers.begin(), numbers.end());
      expect_exact_sums<double>(dimensions, top, bottom, {wide.data(), dimensions, 1, count, 0});
    }
  std::vector<std::uint16_t> integers(std::size_t(16) * count);
  for (std::uint16_t& integer : integers) integer = static_cast<std::uint16_t>(random.small(60000, 65535));
  expect_exact_sums<std::uint16_t>(16, 16, 0, {integers.data(), 1, count, count, 0});
  expect_exact_sums<std::uint16_t>(16, 16, 0, {integers.data(), 16, 1, count, 0});
}

TEST(KMeansWindows, SplitNumbersOfAnyRange) {
  for (const std::int64_t points : {1, 1000, 1 << 30})
    for (const int bottom : {-149, -20, 0, 3}) {
      const kmeans::Windows windows = kmeans::Windows::of<double>({100, bottom}, points);
      ASSERT_GT(windows.count, 0);
      EXPECT_LE(windows.unit[windows.count - 1], bottom);
      for (int w = 0; w < windows.count; ++w) {
        const int top = w == 0 ? 100 : windows.unit[w - 1] - 1;
        EXPECT_LE(std::ldexp(static_cast<double>(points), top - windows.unit[w]), 0x1p62);
      }
    }
  EXPECT_EQ(kmeans::Windows::of<double>({500, -1074}, 1 << 30).count, 0);
  EXPECT_EQ(kmeans::Windows::most_of<double>(1 << 30), +kmeans::Windows::most);
  EXPECT_EQ(kmeans::Windows::most_of<std::uint8_t>(1 << 30), 1);
}

/// Expects the exponents of 33 points of 3 coordinates, `stride` numbers apart. What is between them is NaN.
void expect_exponents(const std::vector<float>& all, int stride, int top, int bottom) {
  const Box domain{{0, 3}, {0, 33}};
  std::vector<float> numbers(std::size_t(33) * static_cast<std::size_t>(stride), std::nanf(""));
  for (int i = 0; i < 33; ++i) std::copy_n(all.begin() + i * 3, 3, numbers.begin() + i * stride);
  const kmeans::FindExponents<float> find{kmeans::Layout::of(domain, true), ""};
  std::vector<std::int64_t> value(3);
  ASSERT_EQ(find.value_bytes(), 3 * 8);
  find.init(reinterpret_cast<std::byte*>(value.data()));
  const ArrayReference array{reinterpret_cast<std::byte*>(numbers.data()), {1, stride}};
  find.add(reinterpret_cast<std::byte*>(value.data()), find.layout.points,
           tessera::LibraryBlock<const float>(array, domain));
  double result[2] = {};
  find.store(reinterpret_cast<std::byte*>(value.data()), result);
  EXPECT_EQ(result[0], top) << stride;
  EXPECT_EQ(result[1], bottom) << stride;
}

TEST(KMeansExponents, OfNumbersInRows) {
  const float least = std::numeric_limits<float>::denorm_min();
  for (const auto& [numbers, top, bottom] : {std::tuple{std::vector<float>{0, 1, -3, 0.5F}, 2, -1},
                                             {{least, 0}, -148, -149},
                                             {{3 * least, -7}, 3, -149},
                                             {{0x1p127F, 0x1.000002p0F}, 128, -23},
                                             {{}, 0, 0},
                                             {{-8}, 4, 3}})
    for (const std::size_t place : {0, 40, 96}) {
      std::vector<float> all(99);
      std::copy(numbers.begin(), numbers.end(),
                all.begin() + static_cast<std::ptrdiff_t>(std::min(place, 99 - numbers.size())));
      expect_exponents(all, 3, top, bottom);
      expect_exponents(all, 5, top, bottom);
    }
}

}  // namespace
