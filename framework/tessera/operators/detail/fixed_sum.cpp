// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/operators/detail/fixed_sum.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::operators::detail {
namespace {

/// The number 1 in units of 2^-15.
constexpr int one = 1 << 15;

}  // namespace

bool FixedWeights::can_have(const std::vector<double>& weights) {
  const auto is_between = [](double weight) { return weight >= 0 && weight < 0.99; };
  return weights.size() <= 2 * most + 1 && std::all_of(weights.begin(), weights.end(), is_between);
}

FixedWeights FixedWeights::of(const std::vector<double>& weights) {
  FixedWeights fixed;
  fixed.radius = static_cast<int>(weights.size()) / 2;
  // Sums from the end on are rounded, and not the weights: their errors do not add up.
  double exact = 0;
  int so_far = 0;
  for (int i = 0; i < fixed.radius; ++i) {
    exact += weights[static_cast<std::size_t>(i)] * one;
    const int rounded = static_cast<int>(std::floor(exact + 0.5));
    fixed.weight[i] = fixed.weight[2 * fixed.radius - i] = static_cast<std::int16_t>(rounded - so_far);
    so_far = rounded;
  }
  fixed.weight[fixed.radius] = static_cast<std::int16_t>(one - 2 * so_far);
  return fixed;
}

Image add_fixed_means(Pipeline& pipeline, const std::string& name, const Image& image,
                      const std::vector<double>& weights) {
  const FixedWeights fixed = FixedWeights::of(weights);
  const Image rows = add_plane_stage<std::int16_t, std::uint8_t>(pipeline, name + "_x",
                                                                 FixedMean<true, std::int16_t>{fixed}, image);
  return add_plane_stage<std::uint8_t, std::int16_t>(pipeline, name, FixedMean<false, std::uint8_t>{fixed},
                                                     rows);
}

}  // namespace tessera::operators::detail
