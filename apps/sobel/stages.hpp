// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/pipeline/algorithm/pipeline.hpp"

namespace sobel {

/// The magnitude of the gradient by Sobel's operators, for images of type T with (x, y) or (x, y, channel).
/// It is sqrt(gx^2 + gy^2) for floats, and min(|gx| + |gy|, the largest T) for integers.
template <class T>
struct Magnitude {
  /// Four rows share most of what they read.
  static constexpr int rows_together = 4;

  template <class In, class Coord, class... Rest>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y, Rest... rest) const {
    // The least type that holds all differences: narrow lanes are fast lanes.
    using Number = std::conditional_t<std::is_same_v<T, std::uint8_t>, std::int16_t,
                                      std::conditional_t<std::is_same_v<T, float>, float, std::int32_t>>;
    const auto at = [&](int i, int j) { return tessera::cast<Number>(in(x + i, y + j, rest...)); };
    const auto sum = [](const auto& a, const auto& b, const auto& c) {
      if constexpr (std::is_same_v<T, float>)
        return a + (b + b) + c;
      else  // Rows share these sums of two.
        return tessera::cast<Number>(tessera::cast<Number>(a + b) + tessera::cast<Number>(b + c));
    };
    const auto gx =
        tessera::cast<Number>(sum(at(1, -1), at(1, 0), at(1, 1)) - sum(at(-1, -1), at(-1, 0), at(-1, 1)));
    const auto gy =
        tessera::cast<Number>(sum(at(-1, 1), at(0, 1), at(1, 1)) - sum(at(-1, -1), at(0, -1), at(1, -1)));
    if constexpr (std::is_same_v<T, float>) {
      return tessera::sqrt(gx * gx + gy * gy);
    } else {
      const auto size = tessera::cast<Number>(tessera::abs(gx) + tessera::abs(gy));
      return tessera::cast<T>(tessera::min(size, Number(tessera::highest<T>)));
    }
  }
};

/// Returns the pipeline with the stage `sobel`, for an image with the points `image`. Its edges are
/// replicated.
template <class T, int N>
tessera::Pipeline make_pipeline(const tessera::Box& image) {
  tessera::Pipeline pipeline;
  const auto input = pipeline.input<T, N>("input", image, tessera::Boundary::clamp);
  pipeline.output(pipeline.stage<T>("sobel", Magnitude<T>{}, input));
  return pipeline;
}

}  // namespace sobel
