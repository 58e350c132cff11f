// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <type_traits>

#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/body/weighted_taps.hpp"

namespace resize {

/// The places of points of the result in the source, along one dimension.
struct Sampling {
  float factor;
  int source_extent;

  /// Returns where point x of the result lies in the source.
  template <class Coord>
  KOKKOS_FUNCTION auto position(const Coord& x) const {
    return (tessera::cast<float>(x) + 0.5f) * (1.0f / factor) - 0.5f;
  }
  /// Returns the first of the four points of the source that point x is made of. At the edges, the four
  /// points are moved inwards.
  template <class Coord>
  KOKKOS_FUNCTION auto first(const Coord& x) const {
    return tessera::clamp(tessera::cast<int>(tessera::ceil(position(x) - 2.0f)), 0, source_extent - 4);
  }
};

/// The cubic convolution kernel with a = -1/2 (R. G. Keys, Cubic convolution interpolation for digital image
/// processing, 1981).
template <class V>
KOKKOS_FUNCTION auto cubic(const V& at) {
  const auto t = tessera::abs(at);
  const auto inner = (1.5f * t - 2.5f) * t * t + 1.0f;
  const auto outer = ((-0.5f * t + 2.5f) * t - 4.0f) * t + 2.0f;
  return tessera::select(t < 1.0f, inner, tessera::select(t < 2.0f, outer, 0.0f));
}

/// The first of the four samples of the source that a sample of the result is made of, along one dimension.
/// The samples of all channels of a point follow each other.
template <int Channels>
struct First {
  Sampling sampling;

  template <class Coord>
  KOKKOS_FUNCTION auto operator()(Coord x) const {
    return Channels * sampling.first(x / Channels) + tessera::cast<int>(x % Channels);
  }
};

/// The weight of the i-th of the four samples for sample x of the result, an array of (x, i). All four add up
/// to 1. The type Weight is a floating-point type, or an integer type for numbers in units of 2^-14.
template <class Weight, int Channels>
struct Weights {
  Sampling sampling;

  template <class Coord>
  KOKKOS_FUNCTION auto operator()(Coord x, Coord i) const {
    const auto point = x / Channels;
    const auto from_first = tessera::cast<float>(sampling.first(point)) - sampling.position(point);
    const auto sum =
        cubic(from_first) + cubic(from_first + 1.0f) + cubic(from_first + 2.0f) + cubic(from_first + 3.0f);
    const auto weight = [&](const auto& sample) { return cubic(from_first + sample) / sum; };
    if constexpr (std::is_floating_point_v<Weight>) {
      return weight(tessera::cast<float>(i));
    } else {
      const auto rounded = [&](float sample) {
        return tessera::cast<int>(tessera::floor(weight(sample) * one + 0.5f));
      };
      // The second weight is 1 minus the others, so that the sum is exact.
      const auto others = rounded(0.0f) + rounded(2.0f) + rounded(3.0f);
      const auto i_th = rounded(tessera::cast<float>(i));
      return tessera::cast<Weight>(tessera::select(i == 1, static_cast<int>(one) - others, i_th));
    }
  }

 private:
  static constexpr float one = 16384.0f;
};

/// The weighted sum of four samples along y, as a T: floats are clamped to [0, 1], and integers rounded as by
/// tessera::rounded.
template <class T>
struct AlongY {
  Sampling sampling;

  template <class In, class Weights, class Coord, class... Rest>
  KOKKOS_FUNCTION auto operator()(const In& in, const Weights& weights, Coord x, Coord y,
                                  Rest... rest) const {
    const auto first = sampling.first(y);
    const auto term = [&](int i) { return weights(y, i) * in(x, first + i, rest...); };
    const auto sum = term(0) + term(1) + term(2) + term(3);
    if constexpr (std::is_same_v<T, float>)
      return tessera::clamp(sum, 0.0f, 1.0f);
    else
      return tessera::rounded<T>(sum);
  }
};

/// The weighted sum of four samples along y, as 8 bits. The samples and the weights are in the fixed-point
/// units of tessera::WeightedTaps.
template <>
struct AlongY<std::uint8_t> {
  Sampling sampling;

  template <class In, class Weights, class Coord, class... Rest>
  KOKKOS_FUNCTION auto operator()(const In& in, const Weights& weights, Coord x, Coord y,
                                  Rest... rest) const {
    const auto first = sampling.first(y);
    const auto term = [&](int i) {
      return tessera::multiply_rounded(weights(y, i), in(x, first + i, rest...));
    };
    // The terms are in units of 2^-6, and 128 less than the samples.
    constexpr int one = 64;
    const auto sum =
        tessera::cast<std::int16_t>(term(0) + term(1) + term(2) + term(3) + (128 * one + one / 2));
    return tessera::cast<std::uint8_t>(tessera::clamp(sum >> 6, 0, 255));
  }
};

/// Returns the pipeline that makes an image `factor` times as large, by cubic convolution along x and then
/// along y. The extents must be 4 or more, and the factor 1 or more. Images are of (x, y) or (x, y, channel),
/// or, if they are interleaved, of (x * Channels + channel, y). Samples of 8 bits are computed in fixed-point
/// arithmetic: a result differs from the exact one by less than 0.1 before it is rounded.
template <class T, int N, int Channels = 1>
tessera::Pipeline make_pipeline(const tessera::Box& image, float factor) {
  using Weight = std::conditional_t<std::is_same_v<T, std::uint8_t>, std::int16_t, float>;
  const Sampling along_x{factor, static_cast<int>(image[0].size()) / Channels};
  const Sampling along_y{factor, static_cast<int>(image[1].size())};
  const First<Channels> first{along_x};
  tessera::Pipeline pipeline;
  const auto input = pipeline.input<T, N>("input", image);
  const auto first_x = pipeline.stage<std::int32_t, 1>("first_x", first);
  const auto weights_x = pipeline.stage<Weight, 2>("weights_x", Weights<Weight, Channels>{along_x});
  const auto weights_y = pipeline.stage<Weight, 2>("weights_y", Weights<Weight, 1>{along_y});
  const auto wide = pipeline.stage<Weight>("wide", tessera::WeightedTaps<4, Channels, First<Channels>>{first},
                                           input, first_x, weights_x);
  const auto resized = pipeline.stage<T>("resized", AlongY<T>{along_y}, wide, weights_y);
  tessera::Box result = image;
  const auto larger = [factor](int extent) {
    return static_cast<std::int64_t>(static_cast<float>(extent) * factor);
  };
  result[0] = tessera::Range{0, Channels * larger(along_x.source_extent)};
  result[1] = tessera::Range{0, larger(along_y.source_extent)};
  pipeline.output(resized, result);
  return pipeline;
}

}  // namespace resize
