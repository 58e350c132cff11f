// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "tessera/pipeline/algorithm/pipeline.hpp"

// Phase 1: which pixels are noise.
namespace restore {

/// What a pixel counts as a neighbour of a noisy one: 2 - noisy.
inline constexpr std::uint8_t noisy_weight = 1;
inline constexpr std::uint8_t clean_weight = 2;

/// The least and the greatest value of the nine windows around the points at distance 0 or Step in each
/// dimension: of windows of radius r, with Step <= 2 r + 1, that is the window of radius r + Step.
template <int Step>
struct WidenWindow {
  template <class Least, class Greatest, class Coord>
  KOKKOS_FUNCTION auto operator()(const Least& least, const Greatest& greatest, Coord x, Coord y) const {
    auto low = least(x, y);
    auto high = greatest(x, y);
    for (int j = -1; j <= 1; ++j)
      for (int i = -1; i <= 1; ++i) {
        low = tessera::min(low, least(x + Step * i, y + Step * j));
        high = tessera::max(high, greatest(x + Step * i, y + Step * j));
      }
    return tessera::pack(low, high);
  }
};

/// The weight of a pixel. The adaptive median filter enlarges its window until minimum, median and maximum
/// are not all equal, that is until there are two values in it, and takes a centre of 0 or 255 for noise when
/// it is the minimum or the maximum: in a window that holds it 0 and 255 always are. Larger windows hold the
/// smaller ones, so that the largest one alone tells whether any of them has two values.
struct Weight {
  template <class In, class Least, class Greatest, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, const Least& least, const Greatest& greatest, Coord x,
                                  Coord y) const {
    const auto value = in(x, y);
    const auto low = least(x, y);
    const auto high = greatest(x, y);
    const auto dark = tessera::select(value == 0, noisy_weight, clean_weight);
    const auto weight = tessera::select(value == 255, noisy_weight, dark);
    return tessera::cast<std::uint8_t>(tessera::select(low == high, clean_weight, weight));
  }
};

/// The least and the greatest values of a window around each point.
struct Extremes {
  tessera::Array<std::uint8_t, 2> least;
  tessera::Array<std::uint8_t, 2> greatest;
};

/// Those of windows that are wider by 2 Step points.
template <int Step>
Extremes widened(tessera::Pipeline& pipeline, const std::string& width, const Extremes& window) {
  using Bytes = tessera::TypeList<std::uint8_t, std::uint8_t>;
  const auto [least, greatest] = pipeline.stages<Bytes>({"least_" + width, "greatest_" + width},
                                                        WidenWindow<Step>{}, window.least, window.greatest);
  return {least, greatest};
}

/// Adds the detection of salt-and-pepper noise (R. H. Chan, C.-W. Ho, M. Nikolova, Salt-and-pepper noise
/// removal by median-type noise detectors and detail-preserving regularization, 2005) with windows of up to
/// 79 x 79 points, cut off at the borders of the image. `input` must be clamped there: what its clamped
/// window holds is what the window that is cut off holds. Returns the weights.
inline tessera::Array<std::uint8_t, 2> add_detection(tessera::Pipeline& pipeline,
                                                     tessera::Array<std::uint8_t, 2> input) {
  const Extremes in_3 = widened<1>(pipeline, "3", {input, input});
  const Extremes in_9 = widened<3>(pipeline, "9", in_3);
  const Extremes in_27 = widened<9>(pipeline, "27", in_9);
  const Extremes in_79 = widened<26>(pipeline, "79", in_27);
  return pipeline.stage<std::uint8_t>("weight", Weight{}, input, in_79.least, in_79.greatest);
}

}  // namespace restore
