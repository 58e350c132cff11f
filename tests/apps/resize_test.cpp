// SPDX-License-Identifier: BSD-3-Clause
// Interleaved images against the planes they are made of, and images of one value.
#include "apps/resize/stages.hpp"

#include <gtest/gtest.h>

#include "pipeline/array_source.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"

namespace {

using namespace tessera;
using Image = test::WholeArray<std::uint8_t>;

template <class T>
test::WholeArray<T> result_of(const Algorithm& pipeline, const test::WholeArray<T>& image, int ranks) {
  test::ArraySource<T> source(image);
  test::ArraySink<T> sink(pipeline[pipeline.find("resized")].domain);
  Rehearsal(pipeline, make_plans(pipeline, {}, {}, ranks)).run({{{"input", &source}}, {{"resized", &sink}}});
  return std::move(sink.array);
}

template <int channels>
void expect_those_of_planes() {
  test::Random random(11);
  Image planes(Box{{0, 23}, {0, 9}, {0, channels}});
  for (auto& value : planes.values) value = static_cast<std::uint8_t>(random.small(0, 255));
  Image interleaved(Box{{0, 23 * channels}, {0, 9}});
  test::for_each_point(interleaved.box, [&](const Point& p) {
    interleaved.at(p) = planes.at({p[0] / channels, p[1], p[0] % channels});
  });
  const Image expected = result_of(resize::make_pipeline<std::uint8_t, 3>(planes.box, 1.7f), planes, 1);
  for (int ranks : {1, 4, 7}) {
    const Image result = result_of(resize::make_pipeline<std::uint8_t, 2, channels>(interleaved.box, 1.7f),
                                   interleaved, ranks);
    ASSERT_EQ(result.box, (Box{{0, 39 * channels}, {0, 15}}));
    test::for_each_point(result.box, [&](const Point& p) {
      ASSERT_EQ(result.at(p), expected.at({p[0] / channels, p[1], p[0] % channels})) << p[0] << ", " << p[1];
    });
  }
}

TEST(Resize, InterleavedChannelsAreThoseOfPlanes) {
  expect_those_of_planes<1>();
  expect_those_of_planes<2>();
  expect_those_of_planes<3>();
  expect_those_of_planes<4>();
}

/// Expects an image of one value to stay one.
template <class T>
void expect_flat(int value, float factor) {
  test::WholeArray<T> image(Box{{0, 9}, {0, 7}});
  for (T& point : image.values) point = static_cast<T>(value);
  for (const T point : result_of(resize::make_pipeline<T, 2>(image.box, factor), image, 1).values)
    ASSERT_EQ(point, value) << "factor " << factor;
}

TEST(Resize, ImagesOfOneValueStayAsTheyAre) {
  for (const float factor : {1.0f, 1.3f, 2.0f, 2.7f, 16.0f}) {
    for (int value = 0; value < 256; ++value) expect_flat<std::uint8_t>(value, factor);
    for (const int value : {0, 1, 2, 255, 4097, 32768, 65533, 65534, 65535})
      expect_flat<std::uint16_t>(value, factor);
  }
}

}  // namespace
