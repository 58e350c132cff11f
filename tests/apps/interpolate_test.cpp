// SPDX-License-Identifier: BSD-3-Clause
// Images of integers against images of the numbers that they stand for.
#include "apps/interpolate/stages.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "pipeline/array_source.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"

namespace {

using namespace tessera;

const Box image_box{{0, 45}, {0, 38}, {0, 4}};

template <class T>
test::WholeArray<float> filled(const test::WholeArray<T>& image, int ranks) {
  const Pipeline pipeline = interpolate::make_pipeline<T>(image.box);
  test::ArraySource<T> source(image);
  test::ArraySink<float> sink(Box{image.box[0], image.box[1], {0, 3}});
  Rehearsal(pipeline, make_plans(pipeline, {}, {}, ranks))
      .run({{{"input", &source}}, {{"interpolated", &sink}}});
  return std::move(sink.array);
}

template <class T>
void expect_those_of_floats() {
  test::Random random(5);
  constexpr int most = std::numeric_limits<T>::max();
  test::WholeArray<T> image(image_box);
  test::WholeArray<float> numbers(image_box);
  test::for_each_point(image_box, [&](const Point& p) {
    // Most points are transparent.
    const bool is_clear = p[2] == 3 && random.small(0, 3) > 0;
    image.at(p) = static_cast<T>(is_clear ? 0 : random.small(1, most));
    numbers.at(p) = float(image.at(p)) * (1.0f / float(most));
  });
  const test::WholeArray<float> expected = filled(numbers, 1);
  for (const int ranks : {1, 3}) {
    const test::WholeArray<float> result = filled(image, ranks);
    test::for_each_point(result.box, [&](const Point& p) {
      ASSERT_EQ(result.at(p), expected.at(p)) << p[0] << ", " << p[1] << ", " << p[2];
      ASSERT_GE(result.at(p), 0);
      ASSERT_LE(result.at(p), 1.00001f);
    });
  }
}

TEST(Interpolate, IntegersStandForNumbersFromZeroToOne) {
  expect_those_of_floats<std::uint8_t>();
  expect_those_of_floats<std::uint16_t>();
}

}  // namespace
