// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "../transpose/stages.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"

namespace resize {

/// Points of the result along one dimension, and where they come from.
struct Sampling {
  float factor;
  int source_extent;

  /// Where point x of the result lies in the source.
  template <class Coord>
  KOKKOS_FUNCTION auto position(const Coord& x) const {
    return (tessera::cast<float>(x) + 0.5f) * (1.0f / factor) - 0.5f;
  }
  /// The first of the four points of the source that it is made of: at the edges the window moves inwards.
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

/// The weight of the i-th of the four points, of (i, x). All four add up to 1.
struct Weight {
  Sampling sampling;

  template <class Coord>
  KOKKOS_FUNCTION auto operator()(Coord i, Coord x) const {
    const auto from_first = tessera::cast<float>(sampling.first(x)) - sampling.position(x);
    const auto sum =
        cubic(from_first) + cubic(from_first + 1.0f) + cubic(from_first + 2.0f) + cubic(from_first + 3.0f);
    return cubic(from_first + tessera::cast<float>(i)) / sum;
  }
};

/// Four points along the second dimension, in which the samples of all channels of a point follow each other.
template <int Channels>
struct Resample {
  Sampling sampling;

  template <class In, class Weights, class Coord, class... Rest>
  KOKKOS_FUNCTION auto operator()(const In& in, const Weights& weights, Coord x, Coord y,
                                  Rest... rest) const {
    const auto point = y / Channels;
    const auto first = Channels * sampling.first(point) + y % Channels;
    const auto term = [&](int i) {
      return weights(i, point) * tessera::cast<float>(in(x, first + Channels * i, rest...));
    };
    return term(0) + term(1) + term(2) + term(3);
  }
};

/// The same, stored as a T: floats within [0, 1], integers saturated and truncated.
template <class T>
struct ResampleTo {
  Resample<1> resample;

  template <class In, class Weights, class Coord, class... Rest>
  KOKKOS_FUNCTION auto operator()(const In& in, const Weights& weights, Coord x, Coord y,
                                  Rest... rest) const {
    constexpr float highest = std::is_same_v<T, float> ? 1.0f : static_cast<float>(tessera::highest<T>);
    return tessera::cast<T>(tessera::clamp(resample(in, weights, x, y, rest...), 0.0f, highest));
  }
};

/// An image `factor` times as large, by cubic convolution, first along x, then along y. The extents must be 4
/// or more, the factor 1 or more. Images are of (x, y) or (x, y, channel); or, interleaved, of
/// (x * Channels + channel, y).
template <class T, int N, int Channels = 1>
tessera::Pipeline make_pipeline(const tessera::Box& image, float factor) {
  const Sampling along_x{factor, static_cast<int>(image[0].size()) / Channels};
  const Sampling along_y{factor, static_cast<int>(image[1].size())};
  tessera::Pipeline pipeline;
  const auto input = pipeline.input<T, N>("input", image);
  const auto weights_x = pipeline.stage<float, 2>("weights_x", Weight{along_x});
  const auto weights_y = pipeline.stage<float, 2>("weights_y", Weight{along_y});
  const auto turned = pipeline.stage<T>("turned", transpose::Transpose{}, input);
  const auto wide = pipeline.stage<float>("wide", Resample<Channels>{along_x}, turned, weights_x);
  const auto turned_back = pipeline.stage<float>("turned_back", transpose::Transpose{}, wide);
  const auto resized = pipeline.stage<T>("resized", ResampleTo<T>{{along_y}}, turned_back, weights_y);
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
