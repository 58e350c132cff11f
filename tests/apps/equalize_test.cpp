// SPDX-License-Identifier: BSD-3-Clause
// Histogram equalisation against its definition, pixel by pixel.
#include "apps/equalize/stages.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "pipeline/array_source.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"

namespace {

using namespace tessera;
using Image = test::WholeArray<std::uint8_t>;

/// Counts, for each pixel, those that are not brighter and not as dark as the darkest.
Image plain(const Image& image) {
  const auto& pixels = image.values;
  std::vector<std::uint8_t> sorted = pixels;
  std::sort(sorted.begin(), sorted.end());
  const auto up_to = [&](std::uint8_t value) {
    return double(std::upper_bound(sorted.begin(), sorted.end(), value) - sorted.begin());
  };
  const double darkest = up_to(sorted.front()), rest = double(sorted.size()) - darkest;
  Image result(image.box);
  for (std::size_t i = 0; i < pixels.size(); ++i)
    result.values[i] =
        rest == 0 ? std::uint8_t(0)
                  : static_cast<std::uint8_t>(std::floor((up_to(pixels[i]) - darkest) / rest * 255 + 0.5));
  return result;
}

template <int N>
void expect_plain(const Image& image) {
  const Pipeline pipeline = equalize::make_pipeline<std::uint8_t, N>(image.box);
  for (int ranks : {1, 3, 16}) {
    test::ArraySource<std::uint8_t> source(image);
    test::ArraySink<std::uint8_t> sink(image.box);
    Rehearsal(pipeline, make_plans(pipeline, {}, {}, ranks))
        .run({{{"input", &source}}, {{"equalized", &sink}}});
    EXPECT_TRUE(sink.array.same_bits(plain(image))) << to_string(image.box) << " on " << ranks;
  }
}

/// Values of [low, high], dark ones more often.
Image image_of(const Box& box, int low, int high) {
  test::Random random(401);
  Image image(box);
  for (auto& value : image.values)
    value = static_cast<std::uint8_t>(random.small(low, random.small(low, high)));
  return image;
}

TEST(Equalize, StretchesGreyImages) {
  expect_plain<2>(image_of({{0, 61}, {0, 47}}, 0, 255));
  expect_plain<2>(image_of({{0, 61}, {0, 47}}, 90, 120));
  expect_plain<2>(image_of({{0, 3}, {0, 200}}, 7, 8));
}

TEST(Equalize, SharesOneHistogramBetweenChannels) {
  expect_plain<3>(image_of({{0, 40}, {0, 31}, {0, 3}}, 3, 200));
}

TEST(Equalize, MakesImagesOfOneValueBlack) {
  expect_plain<2>(image_of({{0, 13}, {0, 9}}, 200, 200));
  expect_plain<2>(image_of({{0, 1}, {0, 1}}, 255, 255));
}

}  // namespace
