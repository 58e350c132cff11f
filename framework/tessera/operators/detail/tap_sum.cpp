// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/operators/detail/tap_sum.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::operators::detail {
namespace {

/// The number 1 in units of 2^-15.
constexpr int one = 1 << 15;

}  // namespace

void Taps::add(int dx, int dy, double factor) {
  if (factor == 0) return;
  if (count == most_taps) throw InternalError("a sum of neighbours has too many weights");
  x[count] = static_cast<std::int16_t>(dx);
  y[count] = static_cast<std::int16_t>(dy);
  weight[count++] = static_cast<float>(factor);
  least_x = std::min(least_x, dx);
  greatest_x = std::max(greatest_x, dx);
  least_y = std::min(least_y, dy);
  greatest_y = std::max(greatest_y, dy);
}

Taps Taps::along(bool x, const std::vector<double>& weights) {
  Taps taps;
  int place = -static_cast<int>(weights.size()) / 2;
  for (const double weight : weights) {
    taps.add(x ? place : 0, x ? 0 : place, weight);
    ++place;
  }
  return taps;
}

Taps Taps::derivative(bool along_x, int side, int middle) {
  Taps taps;
  for (int j = -1; j <= 1; ++j)
    for (int i = -1; i <= 1; ++i)
      taps.add(i, j, (along_x ? i : j) * ((along_x ? j : i) == 0 ? middle : side));
  return taps;
}

Image add_tap_sum(const NewStage& stage, const Image& image, ElementType result, const Taps& taps,
                  double scale, double offset) {
  return with_image_type(image.type, [&]<class In>(std::type_identity<In>) {
    return with_image_type(result, [&]<class Out>(std::type_identity<Out>) {
      if constexpr (std::is_same_v<Out, In> || std::is_same_v<Out, float> || std::is_same_v<In, float>)
        return add_plane_stage<Out, In>(
            stage, TapSum<Out>{taps, static_cast<float>(scale), static_cast<float>(offset)}, image);
      else
        throw InternalError("a sum of neighbours of integers cannot become integers of another type");
      return Image();
    });
  });
}

std::vector<double> gaussian_weights(double sigma, double truncate) {
  const int radius = static_cast<int>(truncate * sigma + 0.5);
  std::vector<double> weights;
  double sum = 0;
  for (int i = -radius; i <= radius; ++i) {
    weights.push_back(std::exp(-0.5 * i * i / (sigma * sigma)));
    sum += weights.back();
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

Image add_separable(const NewStage& stage, const Image& image, ElementType result,
                    const std::vector<double>& along_x, const std::vector<double>& along_y, double scale,
                    double offset) {
  const Image rows = add_tap_sum(stage + "_x", image, ElementType::float32, Taps::along(true, along_x));
  return add_tap_sum(stage, rows, result, Taps::along(false, along_y), scale, offset);
}

bool FixedWeights::can_have(const std::vector<double>& weights) {
  const auto is_between = [](double weight) { return weight >= 0 && weight < 0.99; };
  return weights.size() <= 2 * most + 1 && std::all_of(weights.begin(), weights.end(), is_between);
}

FixedWeights FixedWeights::of(const std::vector<double>& weights) {
  FixedWeights fixed;
  fixed.radius = static_cast<int>(weights.size()) / 2;
  // Sums of weights from the end on are rounded, and not the weights, so that errors of rounding do not add
  // up.
  double exact = 0;
  int so_far = 0;
  for (int i = 0; i < fixed.radius; ++i) {
    exact += weights[i] * one;
    const int rounded = static_cast<int>(std::floor(exact + 0.5));
    fixed.weight[i] = fixed.weight[2 * fixed.radius - i] = static_cast<std::int16_t>(rounded - so_far);
    so_far = rounded;
  }
  fixed.weight[fixed.radius] = static_cast<std::int16_t>(one - 2 * so_far);
  return fixed;
}

Image add_fixed_means(const NewStage& stage, const Image& image, const std::vector<double>& weights) {
  const FixedWeights fixed = FixedWeights::of(weights);
  const Image rows =
      add_plane_stage<std::int16_t, std::uint8_t>(stage + "_x", FixedMean<true, std::int16_t>{fixed}, image);
  return add_plane_stage<std::uint8_t, std::int16_t>(stage, FixedMean<false, std::uint8_t>{fixed}, rows);
}

}  // namespace tessera::operators::detail
