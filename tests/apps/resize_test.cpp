// SPDX-License-Identifier: BSD-3-Clause
// Interleaved images against the planes they are made of.
#include "apps/resize/stages.hpp"

#include <gtest/gtest.h>

#include "pipeline/array_source.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"

namespace {

using namespace tessera;
using Image = test::WholeArray<std::uint8_t>;

Image result_of(const Algorithm& pipeline, const Image& image, int ranks) {
  test::ArraySource<std::uint8_t> source(image);
  test::ArraySink<std::uint8_t> sink(pipeline[pipeline.find("resized")].domain);
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

}  // namespace
