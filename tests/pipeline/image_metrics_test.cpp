// SPDX-License-Identifier: BSD-3-Clause
// The stages of image metrics against plain loops.
#include "tessera/operators/image_metrics.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "pipeline/array_source.hpp"
#include "pipeline/random_schedule.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"

namespace {

using namespace tessera;
using Image = test::WholeArray<std::uint8_t>;
using Number = test::WholeArray<double>;

struct Metrics {
  double psnr = 0;
  double ssim = 0;
};

double plain_psnr(const Image& a, const Image& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i) sum += std::pow(a.values[i] - b.values[i], 2);
  return 10 * std::log10(255 * 255 / (sum / double(a.values.size())));
}

/// Returns the similarity of the windows around (x, y), from all 121 points at once.
double plain_similarity(const Image& a, const Image& b, std::int64_t x, std::int64_t y) {
  double weights = 0, mean_a = 0, mean_b = 0, aa = 0, bb = 0, ab = 0;
  for (int j = -5; j <= 5; ++j)
    for (int i = -5; i <= 5; ++i) weights += std::exp(-(i * i + j * j) / 4.5);
  const auto at = [&](const Image& image, int i, int j) { return double(image.at({{x + i, y + j, 0, 0}})); };
  const auto sum = [&](const auto& value) {
    double total = 0;
    for (int j = -5; j <= 5; ++j)
      for (int i = -5; i <= 5; ++i) total += std::exp(-(i * i + j * j) / 4.5) / weights * value(i, j);
    return total;
  };
  mean_a = sum([&](int i, int j) { return at(a, i, j); });
  mean_b = sum([&](int i, int j) { return at(b, i, j); });
  aa = sum([&](int i, int j) { return std::pow(at(a, i, j) - mean_a, 2); });
  bb = sum([&](int i, int j) { return std::pow(at(b, i, j) - mean_b, 2); });
  ab = sum([&](int i, int j) { return (at(a, i, j) - mean_a) * (at(b, i, j) - mean_b); });
  const double c1 = std::pow(0.01 * 255, 2), c2 = std::pow(0.03 * 255, 2);
  return (2 * mean_a * mean_b + c1) * (2 * ab + c2) /
         ((mean_a * mean_a + mean_b * mean_b + c1) * (aa + bb + c2));
}

double plain_ssim(const Image& a, const Image& b) {
  double sum = 0;
  int count = 0;
  for (std::int64_t y = a.box[1].begin + 5; y < a.box[1].end - 5; ++y)
    for (std::int64_t x = a.box[0].begin + 5; x < a.box[0].end - 5; ++x, ++count)
      sum += plain_similarity(a, b, x, y);
  return sum / count;
}

Pipeline metrics_of(const Box& image) {
  Pipeline pipeline;
  const auto a = pipeline.input<std::uint8_t, 2>("a", image);
  const auto b = pipeline.input<std::uint8_t, 2>("b", image);
  pipeline.output(add_psnr(pipeline, "psnr", a, b, image));
  if (has_ssim(image)) pipeline.output(add_ssim(pipeline, "ssim", a, b, image));
  return pipeline;
}

Metrics rehearsed(const Image& a, const Image& b, int ranks, const Schedule& schedule = {}) {
  const Pipeline pipeline = metrics_of(a.box);
  test::ArraySource<std::uint8_t> from_a(a), from_b(b);
  test::ArraySink<double> psnr(Box{{0, 1}}), ssim(Box{{0, 1}});
  Bindings bindings{{{"a", &from_a}, {"b", &from_b}}, {{"psnr", &psnr}}};
  if (has_ssim(a.box)) bindings.sinks["ssim"] = &ssim;
  Rehearsal(pipeline, make_plans(pipeline, schedule, {}, ranks)).run(bindings);
  return {psnr.array.values[0], ssim.array.values[0]};
}

/// Noise, and the same with more noise.
std::pair<Image, Image> random_images(const Box& box, int noise) {
  test::Random random(9);
  std::pair<Image, Image> images{box, box};
  for (std::size_t i = 0; i < images.first.values.size(); ++i) {
    const int value = random.small(0, 255);
    images.first.values[i] = static_cast<std::uint8_t>(value);
    images.second.values[i] =
        static_cast<std::uint8_t>(std::clamp(value + random.small(-noise, noise), 0, 255));
  }
  return images;
}

TEST(ImageMetrics, AreThoseOfPlainLoops) {
  for (const auto& [width, height] : {std::pair{40, 31}, {11, 11}, {11, 60}, {23, 12}})
    for (const int noise : {3, 60, 255}) {
      const auto [a, b] = random_images({{0, width}, {0, height}}, noise);
      const Metrics metrics = rehearsed(a, b, 3);
      EXPECT_NEAR(metrics.psnr, plain_psnr(a, b), 1e-10);
      EXPECT_NEAR(metrics.ssim, plain_ssim(a, b), 1e-10);
    }
}

TEST(ImageMetrics, OfEqualImages) {
  const auto [a, b] = random_images({{0, 20}, {0, 15}}, 0);
  const Metrics metrics = rehearsed(a, b, 2);
  EXPECT_EQ(metrics.psnr, INFINITY);
  EXPECT_NEAR(metrics.ssim, 1, 1e-12);
}

TEST(ImageMetrics, OfImagesWithoutAWindow) {
  for (const auto& [width, height] : {std::pair{10, 40}, {40, 10}, {1, 1}}) {
    const Box image{{0, width}, {0, height}};
    EXPECT_FALSE(has_ssim(image));
    const auto [a, b] = random_images(image, 200);
    EXPECT_NEAR(rehearsed(a, b, 2).psnr, plain_psnr(a, b), 1e-10);
  }
}

TEST(ImageMetrics, HaveTheSameBitsWithEverySchedule) {
  const auto [a, b] = random_images({{0, 45}, {0, 38}}, 90);
  const Metrics first = rehearsed(a, b, 1);
  const Pipeline pipeline = metrics_of(a.box);
  test::Random random(4);
  for (int i = 0; i < 20; ++i) {
    const Schedule schedule = test::random_schedule(random, pipeline);
    const Metrics metrics = rehearsed(a, b, test::random_rank_count(random), schedule);
    EXPECT_EQ(metrics.psnr, first.psnr) << test::to_string(schedule);
    EXPECT_EQ(metrics.ssim, first.ssim) << test::to_string(schedule);
  }
}

struct Distances {
  double maximum, mean, psnr;
  std::uint64_t differing;
  bool operator==(const Distances&) const = default;
};

using Floats = test::WholeArray<float>;

Pipeline distances_of(const Box& image) {
  Pipeline pipeline;
  const auto a = pipeline.input<float, 2>("a", image), b = pipeline.input<float, 2>("b", image);
  const ImageDifferences<2> distances = add_differences(pipeline, a, b, image, 2.5);
  for (const auto& number : {distances.maximum, distances.mean, distances.psnr}) pipeline.output(number);
  pipeline.output(distances.differing);
  return pipeline;
}

Distances rehearsed(const Floats& a, const Floats& b, int ranks, const Schedule& schedule) {
  test::ArraySource<float> from_a(a), from_b(b);
  const Box one{{0, 1}};
  test::ArraySink<double> maximum(one), mean(one), psnr(one);
  test::ArraySink<std::uint64_t> differing(one);
  Bindings bindings{{{"a", &from_a}, {"b", &from_b}},
                    {{"maximum", &maximum}, {"mean", &mean}, {"psnr", &psnr}, {"differing", &differing}}};
  Rehearsal(distances_of(a.box), make_plans(distances_of(a.box), schedule, {}, ranks)).run(bindings);
  return {maximum.array.values[0], mean.array.values[0], psnr.array.values[0], differing.array.values[0]};
}

TEST(ImageDifferences, AreThoseOfPlainLoopsWithEverySchedule) {
  test::Random random(7);
  Floats a(Box{{0, 45}, {0, 38}}), b(a.box);
  double greatest = 0, sum = 0, squares = 0;
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    a.values[i] = static_cast<float>(random.small(-500, 500)) / 128;
    b.values[i] = random.chance(30) ? a.values[i] : static_cast<float>(random.small(-500, 500)) / 128;
    const double distance = std::abs(double(a.values[i]) - double(b.values[i]));
    greatest = std::max(greatest, distance);
    sum += distance;  // exact, like the squares: all are small multiples of 2^-14
    squares += distance * distance;
    count += a.values[i] != b.values[i];
  }
  const auto points = static_cast<double>(a.values.size());
  const Distances first = rehearsed(a, b, 1, {});
  EXPECT_EQ(first.maximum, greatest);
  EXPECT_EQ(first.mean, sum / points);
  EXPECT_NEAR(first.psnr, 10 * std::log10(2.5 * 2.5 * points / squares), 1e-12);
  EXPECT_EQ(first.differing, count);
  for (int i = 0; i < 12; ++i) {
    const Schedule schedule = test::random_schedule(random, distances_of(a.box));
    EXPECT_TRUE(rehearsed(a, b, test::random_rank_count(random), schedule) == first)
        << test::to_string(schedule);
  }
}

}  // namespace
