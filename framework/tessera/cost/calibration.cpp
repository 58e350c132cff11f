// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/cost/calibration.hpp"

#include <algorithm>
#include <cmath>

#include "tessera/domain/error.hpp"
#include "tessera/view/compat.hpp"
#include "tessera/view/instruction_sets.hpp"

namespace tessera::cost {
namespace {

/// The number of vectors that are computed side by side: enough to hide most of the latency of the
/// operations, and few enough for 16 registers.
constexpr int chains = 12;

}  // namespace

void copy_floats(std::span<const float> from, std::span<float> to) {
  const std::size_t count = from.size();
  const float* KOKKOS_RESTRICT read = from.data();
  float* KOKKOS_RESTRICT write = to.data();
  tessera::detail::call_flat_for_processor([=] {
    TESSERA_VECTORISED
    for (std::size_t i = 0; i < count; ++i) write[i] = read[i];
  });
}

void add_neighbours(std::span<const float> from, std::span<float> to) {
  const std::size_t count = to.size();
  const float* KOKKOS_RESTRICT read = from.data();
  float* KOKKOS_RESTRICT write = to.data();
  tessera::detail::call_flat_for_processor([=] {
    TESSERA_VECTORISED
    for (std::size_t i = 0; i < count; ++i) write[i] = read[i] + read[i + 1] + read[i + 2];
  });
}

Arithmetic multiply_and_add(std::int64_t turns) {
  Arithmetic done;
  tessera::detail::call_flat_with_vectors([&done, turns ](auto vector_bytes) __attribute__((always_inline)) {
    constexpr int numbers = chains * static_cast<int>(vector_bytes() / sizeof(float));
    float values[numbers];
    for (int i = 0; i < numbers; ++i) values[i] = static_cast<float>(i);
    for (std::int64_t turn = 0; turn < turns; ++turn) {
      TESSERA_VECTORISED
      for (int i = 0; i < numbers; ++i) values[i] = values[i] * 0.5F + 1.0F;
    }
    for (int i = 0; i < numbers; ++i) done.result += values[i];
    done.operations = turns * numbers * 2;
  });
  return done;
}

namespace {

/// The sums over all points that decide about a line. Each point counts with the weight 1 / y^2, which makes
/// deviations relative to y.
struct WeightedSums {
  explicit WeightedSums(const std::vector<MeasuredPoint>& points) {
    for (const MeasuredPoint& point : points) {
      if (!(point.y > 0)) throw InternalError("a line is fitted to values that are not greater than 0");
      const double w = 1 / (point.y * point.y);
      weight += w;
      x += w * point.x;
      y += w * point.y;
    }
    for (const MeasuredPoint& point : points) {
      const double w = 1 / (point.y * point.y), from_mean = point.x - x / weight;
      spread += w * from_mean * from_mean;
      together += w * from_mean * point.y;
      xx += w * point.x * point.x;
      xy += w * point.x * point.y;
    }
  }

  double weight = 0, x = 0, y = 0, xx = 0, xy = 0;
  /// The sums of the squares of x, and of the products of x and y, where x counts from its weighted mean.
  double spread = 0, together = 0;
};

LineFit line_with_error(double intercept, double slope, const std::vector<MeasuredPoint>& points) {
  LineFit line{intercept, slope, 0};
  double squares = 0;
  for (const MeasuredPoint& point : points) {
    const double deviation = (line.at(point.x) - point.y) / point.y;
    squares += deviation * deviation;
  }
  line.relative_error = std::sqrt(squares / static_cast<double>(points.size()));
  return line;
}

}  // namespace

LineFit fit_line(const std::vector<MeasuredPoint>& points) {
  const WeightedSums sums(points);
  if (!(sums.spread > 0)) throw InternalError("a line is fitted to points at fewer than two places");
  const double slope = sums.together / sums.spread;
  return line_with_error((sums.y - slope * sums.x) / sums.weight, slope, points);
}

LineFit fit_cost(const std::vector<MeasuredPoint>& points) {
  const LineFit line = fit_line(points);
  if (line.intercept >= 0 && line.slope >= 0) return line;
  const WeightedSums sums(points);
  // The sum of squares is convex. The best line therefore has a slope or an intercept of 0.
  if (line.slope < 0) return line_with_error(sums.y / sums.weight, 0, points);
  return line_with_error(0, std::max(0.0, sums.xy / sums.xx), points);
}

}  // namespace tessera::cost
