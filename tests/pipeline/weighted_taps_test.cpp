// SPDX-License-Identifier: BSD-3-Clause
// Weighted sums of elements that begin anywhere in a row, against sums one by one.
#include "tessera/pipeline/body/weighted_taps.hpp"

#include <gtest/gtest.h>

#include "pipeline/array_source.hpp"
#include "pipeline/limited_instructions.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/kernel/tap_sums.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"

namespace {

using namespace tessera;

/// Where the elements of a point begin: `numerator` / `denominator` elements from one point to the next.
struct FirstElement {
  int step;
  int numerator;
  int denominator;

  template <class Coord>
  KOKKOS_FUNCTION auto operator()(Coord x) const {
    return cast<int>(x / step * numerator / denominator * step + x % step);
  }
};

/// Weights that differ from point to point and from element to element.
template <class Weight>
struct SomeWeight {
  template <class Coord>
  KOKKOS_FUNCTION auto operator()(Coord x, Coord tap) const {
    const auto number = cast<int>((x * 37 + tap * 101) % 89 - 30);
    if constexpr (std::is_same_v<Weight, float>)
      return cast<float>(number) * 0.013f;
    else
      return cast<std::int16_t>(number * 97);
  }
};

/// The sum as the comment of WeightedTaps says.
template <class Weight, class Element>
Weight expected_sum(const std::vector<Weight>& weights, const std::vector<Element>& elements) {
  Weight sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    Weight term;
    if constexpr (std::is_same_v<Weight, float>)
      term = weights[i] * static_cast<float>(elements[i]);
    else
      term = static_cast<Weight>(
          std::lround(std::floor((elements[i] - 128) * 256.0 * weights[i] / 32768 + 0.5)));
    sum = i == 0 ? term : static_cast<Weight>(sum + term);
  }
  return sum;
}

template <class T>
T some_element(test::Random& random) {
  return std::is_same_v<T, float> ? static_cast<T>(random.small(-1000, 1000)) / T(7)
                                  : static_cast<T>(random.small(0, 255) * (sizeof(T) == 2 ? 257 : 1));
}

/// Runs a pipeline with one stage of weighted taps on several ranks, and compares each point.
template <class Element, class Weight, int N, int Taps, int Step>
void expect_sums(int numerator, int denominator, int width) {
  test::Random random(width + 100 * Taps);
  const FirstElement first{Step, numerator, denominator};
  Box result{{0, width}}, image;
  for (int d = 1; d < N; ++d) result[result.dimensions++] = {-1, 8 - 3 * d};
  image = result;
  image[0] = {0, static_cast<std::int64_t>(first(Coordinate(width - 1))) + (Taps - 1) * Step + Step + 1};
  test::WholeArray<Element> elements(image);
  for (auto& element : elements.values) element = some_element<Element>(random);

  Pipeline pipeline;
  const auto input = pipeline.input<Element, N>("input", image);
  const auto firsts = pipeline.stage<std::int32_t, 1>("firsts", first);
  const auto weights = pipeline.stage<Weight, 2>("weights", SomeWeight<Weight>{});
  const auto sums =
      pipeline.stage<Weight>("sums", WeightedTaps<Taps, Step, FirstElement>{first}, input, firsts, weights);
  pipeline.output(sums, result);
  for (const int ranks : {1, 3}) {
    test::ArraySource<Element> source(elements);
    test::ArraySink<Weight> sink(result);
    Rehearsal(pipeline, make_plans(pipeline, {}, {}, ranks)).run({{{"input", &source}}, {{"sums", &sink}}});
    test::for_each_point(result, [&](const Point& p) {
      std::vector<Weight> point_weights;
      std::vector<Element> point_elements;
      for (int tap = 0; tap < Taps; ++tap) {
        Point at = p;
        at.at[0] = first(Coordinate(static_cast<int>(p[0]))) + tap * Step;
        point_weights.push_back(
            static_cast<Weight>(SomeWeight<Weight>()(Coordinate(static_cast<int>(p[0])), Coordinate(tap))));
        point_elements.push_back(elements.at(at));
      }
      ASSERT_EQ(sink.array.at(p), expected_sum(point_weights, point_elements))
          << p[0] << " of " << width << ", " << Taps << " taps, step " << Step << ", ratio " << numerator
          << "/" << denominator << ", " << ranks << " ranks";
    });
  }
}

template <class Element, class Weight, int N>
void expect_sums_of_all_ratios() {
  for (const int width : {1, 2, 15, 16, 17, 33, 64, 131})
    for (const auto& [numerator, denominator] :
         {std::pair(1, 1), std::pair(10, 13), std::pair(1, 16), std::pair(3, 2), std::pair(7, 1)}) {
      expect_sums<Element, Weight, N, 4, 1>(numerator, denominator, width);
      expect_sums<Element, Weight, N, 4, 3>(numerator, denominator, width);
      expect_sums<Element, Weight, N, 1, 2>(numerator, denominator, width);
      expect_sums<Element, Weight, N, 7, 4>(numerator, denominator, width);
    }
}

TEST(WeightedTaps, AreTheSumsOfTheirDefinition) {
  expect_sums_of_all_ratios<float, float, 2>();
  expect_sums_of_all_ratios<std::uint16_t, float, 1>();
  expect_sums_of_all_ratios<std::uint8_t, float, 2>();
  expect_sums_of_all_ratios<std::uint8_t, std::int16_t, 3>();
}

/// Rows in memory that ends where a row may be read, so that a sanitizer sees reads beyond.
template <class Element, class Weight>
struct Rows {
  static constexpr int rows = 7, width = 200, taps = 4, step = 3;
  std::vector<Element> elements;
  std::vector<Weight> sums, weights;
  std::vector<std::int32_t> firsts;
  std::ptrdiff_t stride;

  explicit Rows(test::Random& random) : sums(rows * width), weights(taps * width) {
    const FirstElement first{step, 10, 13};
    for (int x = 0; x < width; ++x) firsts.push_back(first(Coordinate(x)));
    stride = *std::max_element(firsts.begin(), firsts.end()) + (taps - 1) * step + 1;
    for (std::ptrdiff_t i = 0; i < rows * stride; ++i) elements.push_back(some_element<Element>(random));
    for (int tap = 0; tap < taps; ++tap)
      for (int x = 0; x < width; ++x)
        weights[static_cast<std::size_t>(tap * width + x)] =
            SomeWeight<Weight>()(Coordinate(x), Coordinate(tap));
  }
  std::int64_t run(InstructionSet most) {
    const test::LimitedInstructions limited(most);
    return detail::sum_taps(detail::TapRows<Element, Weight, Weight>{
        elements.data(), stride, sums.data(), width, rows, firsts.data(), weights.data(), width, taps, step,
        Range{0, width}, Range{0, stride}});
  }
  void expect_sums_before(std::int64_t end) const {
    for (int row = 0; row < rows; ++row)
      for (int x = 0; x < end; ++x) {
        std::vector<Weight> point_weights;
        std::vector<Element> point_elements;
        for (int tap = 0; tap < taps; ++tap) {
          point_weights.push_back(weights[static_cast<std::size_t>(tap * width + x)]);
          point_elements.push_back(elements[static_cast<std::size_t>(
              row * stride + firsts[static_cast<std::size_t>(x)] + tap * step)]);
        }
        ASSERT_EQ(sums[static_cast<std::size_t>(row * width + x)],
                  expected_sum(point_weights, point_elements))
            << x << " in row " << row;
      }
  }
};

template <class Element, class Weight>
void expect_same_for_all_vectors() {
  test::Random random(5);
  Rows<Element, Weight> rows(random);
  EXPECT_EQ(rows.run(InstructionSet::baseline), 0);
  for (const InstructionSet most : {InstructionSet::avx2, InstructionSet::avx512}) {
    std::fill(rows.sums.begin(), rows.sums.end(), Weight(0));
    rows.expect_sums_before(rows.run(most));
  }
}

TEST(WeightedTaps, AreTheSameWithVectorsOfAllLengths) {
  expect_same_for_all_vectors<float, float>();
  expect_same_for_all_vectors<std::uint16_t, float>();
  expect_same_for_all_vectors<std::uint8_t, float>();
  expect_same_for_all_vectors<std::uint8_t, std::int16_t>();
}

TEST(WeightedTaps, VectorsServeNearlyAllPointsOfAnEnlargedRow) {
#ifdef TESSERA_X86_HOST
  const InstructionSet greatest = instruction_set();
  test::Random random(6);
  Rows<float, float> floats(random);
  Rows<std::uint8_t, std::int16_t> integers(random);
  if (greatest >= InstructionSet::avx2) {
    EXPECT_GE(floats.run(InstructionSet::avx2), 170);
    EXPECT_GE(integers.run(InstructionSet::avx2), 160);
  }
  if (greatest >= InstructionSet::avx512) {
    EXPECT_EQ(floats.run(InstructionSet::avx512), 200);
    if (__builtin_cpu_supports("avx512vbmi")) {
      EXPECT_EQ(integers.run(InstructionSet::avx512), 200);
    }
  }
#endif
}

TEST(WeightedTaps, NeedTheElementsOfTheirWindow) {
  const WeightedTaps<4, 3, FirstElement> body{{3, 10, 13}};
  // The points 8 to 12 are two channels of point 2, the point 3, and a channel of point 4.
  EXPECT_EQ(body.footprint(0, {{8, 13}, {4, 6}}), (Box{{5, 19}, {4, 6}}));
  EXPECT_EQ(body.footprint(1, {{8, 13}, {4, 6}}), (Box{{8, 13}}));
  EXPECT_EQ(body.footprint(2, {{8, 13}, {4, 6}}), (Box{{8, 13}, {0, 4}}));
}

}  // namespace
