// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "apps/blur/stages.hpp"
#include "pipeline/array_source.hpp"
#include "pipeline/random_schedule.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/plan/plan.hpp"

namespace tessera::test {

/// Pixels of the whole range of T, its ends more often.
template <class T>
WholeArray<T> random_image(Random& random, const Box& box) {
  WholeArray<T> image(box);
  for (T& value : image.values) {
    if constexpr (std::is_floating_point_v<T>)
      value = static_cast<T>(random.real(-1000, 1000));
    else
      value = random.chance(15) ? std::numeric_limits<T>::max() : static_cast<T>(random.bits());
  }
  return image;
}

/// The mean of three: an exact sum that is cut off for integers, and float arithmetic in the order written
/// for floats.
template <class T>
T plain_mean(T a, T b, T c) {
  if constexpr (std::is_floating_point_v<T>)
    return (a + b + c) / 3;
  else
    return static_cast<T>((std::int64_t{a} + std::int64_t{b} + std::int64_t{c}) / 3);
}

/// The 3x3 box blur of an image with replicated border, without anything of the framework.
template <class T>
WholeArray<T> plain_blur(const WholeArray<T>& image) {
  const auto along = [](int d, Point p, int shift) {
    p.at[d] += shift;
    return p;
  };
  const auto horizontal = [&](const Point& p) {
    return plain_mean(image.clamped(along(0, p, -1)), image.clamped(p), image.clamped(along(0, p, 1)));
  };
  WholeArray<T> result(image.box);
  for_each_point(image.box, [&](const Point& p) {
    result.at(p) = plain_mean(horizontal(along(1, p, -1)), horizontal(p), horizontal(along(1, p, 1)));
  });
  return result;
}

/// One run of the blur application's pipeline and what must come out.
template <class T, int N>
struct BlurSample {
  WholeArray<T> image;
  WholeArray<T> expected;
  Pipeline pipeline;
  Schedule schedule;
  Target target;

  std::string text() const {
    return tessera::to_string(image.box) + " of " + std::string(name_of(element_type_of<T>())) + ", " +
           to_string(schedule) + ", " + std::to_string(target.threads) + " threads";
  }
};

template <class T, int N>
BlurSample<T, N> blur_of(Random& random, const Box& box) {
  BlurSample<T, N> sample;
  sample.image = random_image<T>(random, box);
  sample.expected = plain_blur(sample.image);
  sample.pipeline = blur::make_pipeline<T, N>(box, box, Boundary::clamp);
  return sample;
}

/// Odd sizes, 1x1, rows and columns of one point, and images of a few points on many ranks.
template <class T, int N>
BlurSample<T, N> random_blur(Random& random) {
  std::vector<int> extents = {random.small(1, 40), random.small(1, 40)};
  if (random.chance(15)) extents = {random.small(1, 3), random.small(1, 3)};
  if (random.chance(5)) extents[0] = random.small(200, 600);
  if (N == 3) extents.push_back(3);
  BlurSample<T, N> sample = blur_of<T, N>(random, Box::of_extents(extents));
  sample.schedule = random_schedule(random, sample.pipeline);
  sample.target.threads = random.small(1, 3);
  return sample;
}

/// Calls test(T(), N) for the images that the application takes.
template <class Test>
void for_each_image_type(const Test& test) {
  test(std::uint8_t(), std::integral_constant<int, 2>());
  test(std::uint16_t(), std::integral_constant<int, 2>());
  test(float(), std::integral_constant<int, 2>());
  test(std::uint8_t(), std::integral_constant<int, 3>());
  test(std::uint16_t(), std::integral_constant<int, 3>());
  test(float(), std::integral_constant<int, 3>());
}

}  // namespace tessera::test
