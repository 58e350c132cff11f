// SPDX-License-Identifier: BSD-3-Clause
// Spectra, peaks and correlations, against their definitions.
#include "apps/stitch/correlation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "tessera/spectral/plane_transform.hpp"

namespace stitch {
namespace {

std::vector<std::uint16_t> random_pixels(std::mt19937& random, Extent extent, unsigned levels = 65536) {
  std::vector<std::uint16_t> pixels(extent.pixels());
  for (auto& pixel : pixels) pixel = static_cast<std::uint16_t>(random() % levels);
  return pixels;
}

TEST(StitchCorrelation, ThePhaseOfAShiftedTileHasItsPeakAtTheShift) {
  std::mt19937 random(7);
  for (const Extent extent : {Extent{16, 12}, {17, 13}, {23, 8}})
    for (int i = 0; i < 5; ++i) {
      const tessera::spectral::PlaneTransform<double> transform(extent.width, extent.height);
      const int dx = static_cast<int>(random() % static_cast<unsigned>(extent.width)),
                dy = static_cast<int>(random() % static_cast<unsigned>(extent.height));
      tessera::spectral::Plane<double> first(extent.pixels()), second(extent.pixels());
      for (double& pixel : first) pixel = static_cast<double>(random() % 256);
      for (int y = 0; y < extent.height; ++y)
        for (int x = 0; x < extent.width; ++x)
          second.data()[y * extent.width + x] =
              first.data()[(y + dy) % extent.height * extent.width + (x + dx) % extent.width];
      tessera::spectral::Plane<std::complex<double>> a(extent.frequencies()), b(a.size()), c(a.size());
      transform.forward(first.data(), a.data());
      transform.forward(second.data(), b.data());
      cross_power<double>(a, b, c);
      for (const auto& value : c) EXPECT_NEAR(std::abs(value), 1, 1e-9);
      transform.inverse(c.data(), first.data());
      const auto peaks = highest<double>(first, 1);
      ASSERT_EQ(peaks.size(), 1U);
      EXPECT_EQ(peaks[0], static_cast<std::size_t>(dy * extent.width + dx));
      EXPECT_NEAR(first.data()[peaks[0]], double(extent.pixels()), 1e-6);
    }
}

TEST(StitchCorrelation, ASpectrumOfNothingIsNothing) {
  const std::vector<std::complex<float>> nothing(9), some(9, {3, 4});
  std::vector<std::complex<float>> result(9, {7, 7});
  cross_power<float>(nothing, some, result);
  EXPECT_EQ(result, nothing);
}

TEST(StitchCorrelation, PeaksAreTheFirstOfTheLargestValues) {
  std::mt19937 random(8);
  for (int i = 0; i < 60; ++i) {
    std::vector<float> values(1 + random() % 900);
    for (float& value : values) value = static_cast<float>(random() % 40) - 20;
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, [&](auto a, auto b) { return values[a] > values[b]; });
    const auto count = 1 + random() % 7;
    order.resize(std::min<std::size_t>(order.size(), count));
    EXPECT_EQ(highest<float>(values, static_cast<int>(count)), order);
  }
}

TEST(StitchCorrelation, APeakIsReadInAllWays) {
  const Extent extent{10, 6};
  EXPECT_EQ(readings(23, extent), (std::vector<Shift>{{3, 2}, {-7, 2}, {3, -4}, {-7, -4}}));
  EXPECT_EQ(readings(20, extent), (std::vector<Shift>{{0, 2}, {0, -4}}));
  EXPECT_EQ(readings(0, extent), (std::vector<Shift>{{0, 0}}));
}

double correlation_by_definition(const Pixels& a, const Pixels& b, Shift shift) {
  std::vector<long double> p, q;
  for (int y = 0; y < a.extent.height; ++y)
    for (int x = 0; x < a.extent.width; ++x) {
      const int u = x - shift.x, v = y - shift.y;
      if (u < 0 || v < 0 || u >= a.extent.width || v >= a.extent.height) continue;
      p.push_back(a.values[static_cast<std::size_t>(y * a.extent.width + x)]);
      q.push_back(b.values[static_cast<std::size_t>(v * a.extent.width + u)]);
    }
  if (p.empty()) return no_correlation;
  const auto mean = [](const auto& values) {
    return std::accumulate(values.begin(), values.end(), 0.0L) / values.size();
  };
  const long double m = mean(p), n = mean(q);
  long double pq = 0, pp = 0, qq = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    pq += (p[i] - m) * (q[i] - n);
    pp += (p[i] - m) * (p[i] - m);
    qq += (q[i] - n) * (q[i] - n);
  }
  return pp == 0 || qq == 0 ? no_correlation : double(pq / std::sqrt(pp * qq));
}

TEST(StitchCorrelation, CorrelationsAreThoseOfTheDefinition) {
  std::mt19937 random(9);
  for (int i = 0; i < 200; ++i) {
    const Extent extent{1 + static_cast<int>(random() % 9), 1 + static_cast<int>(random() % 9)};
    const auto a = random_pixels(random, extent, i % 2 == 0 ? 65536 : 3),
               b = random_pixels(random, extent, i % 3 == 0 ? 65536 : 2);
    const Shift shift{static_cast<int>(random() % 21) - 10, static_cast<int>(random() % 21) - 10};
    EXPECT_NEAR(correlation({extent, a}, {extent, b}, shift),
                correlation_by_definition({extent, a}, {extent, b}, shift), 1e-9);
  }
  const Extent extent{40, 30};
  const std::vector<std::uint16_t> blank(extent.pixels(), 65535), other = random_pixels(random, extent);
  EXPECT_EQ(correlation({extent, blank}, {extent, other}, {3, 4}), no_correlation);
  EXPECT_EQ(correlation({extent, other}, {extent, blank}, {3, 4}), no_correlation);
}

TEST(StitchCorrelation, EvidenceTellsTextureFromLightAndNoise) {
  std::mt19937 random(10);
  const Extent extent{60, 50};
  const auto noise = random_pixels(random, extent, 1000), other = random_pixels(random, extent, 1000);
  auto lit = noise, also_lit = other;
  for (std::size_t i = 0; i < lit.size(); ++i) {
    const auto light = static_cast<std::uint16_t>(i / 60 * 300);
    lit[i] = static_cast<std::uint16_t>(lit[i] + light);
    also_lit[i] = static_cast<std::uint16_t>(also_lit[i] + light);
  }
  EXPECT_GT(correlation({extent, lit}, {extent, also_lit}, {20, 0}), 0.9);
  EXPECT_LT(std::abs(evidence({extent, lit}, {extent, also_lit}, {20, 0})), 4);
  EXPECT_NEAR(evidence({extent, noise}, {extent, noise}, {0, 0}), std::sqrt(59.0 * 49), 1e-6);
  const std::vector<std::uint16_t> blank(extent.pixels(), 5);
  EXPECT_EQ(evidence({extent, blank}, {extent, noise}, {0, 0}), 0);
  EXPECT_EQ(evidence({extent, noise}, {extent, noise}, {59, 0}), 0);
  EXPECT_EQ(evidence({extent, noise}, {extent, noise}, {100, 0}), 0);
  EXPECT_EQ(refined({extent, noise}, {extent, noise}, {1, -1}), (Shift{0, 0}));
}

TEST(StitchCorrelation, FlattenedTilesLackWhatVariesSlowly) {
  const Extent extent{50, 40};
  std::vector<std::uint16_t> ramp(extent.pixels());
  for (std::size_t i = 0; i < ramp.size(); ++i)
    ramp[i] = static_cast<std::uint16_t>(1000 + 20 * (i % 50) + 30 * (i / 50));
  const auto flat = flattened({extent, ramp});
  EXPECT_EQ(flat, std::vector<std::uint16_t>(extent.pixels(), 32768));
  std::vector<std::uint16_t> dot(extent.pixels(), 100);
  dot[20 * 50 + 20] = 190;  // of bytes: 64 times (100 + 10 - 100 - 90 / 289)
  EXPECT_EQ(flattened({extent, dot})[20 * 50 + 20], 32768 + 64 * 110 - (64 * (289 * 100 + 90)) / 289);
}

}  // namespace
}  // namespace stitch
