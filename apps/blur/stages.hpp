// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/pipeline/algorithm/pipeline.hpp"

namespace blur {

/// The mean of three values: truncated for integers, of the exact sum.
struct ExactMean {
  template <class V>
  KOKKOS_FUNCTION auto operator()(const V& a, const V& b, const V& c) const {
    using T = std::remove_const_t<tessera::number_type<V>>;
    if constexpr (std::is_same_v<T, std::uint16_t>) {
      // The sum needs 18 bits, but lanes of 16 bits are twice as fast as lanes of 32. A quarter of the sum is
      // below its third by at most 16386, so that three quarters taken from the sum, modulo 2^16, leave the
      // rest exactly.
      const auto quarter = tessera::cast<T>(a / 4 + b / 4 + c / 4);
      const auto rest = tessera::cast<T>(a + b + c - 3 * quarter);
      return tessera::cast<T>(quarter + rest / 3);
    } else {
      return tessera::cast<T>((a + b + c) / 3);
    }
  }
};

/// The mean along x, for images of (x, y) and of (x, y, channel).
template <class Mean = ExactMean>
struct BlurX {
  template <class In, class Coord, class... Rest>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y, Rest... rest) const {
    return Mean{}(in(x - 1, y, rest...), in(x, y, rest...), in(x + 1, y, rest...));
  }
};

/// The mean along y.
template <class Mean = ExactMean>
struct BlurY {
  template <class In, class Coord, class... Rest>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y, Rest... rest) const {
    return Mean{}(in(x, y - 1, rest...), in(x, y, rest...), in(x, y + 1, rest...));
  }
};

/// Returns the pipeline of a box blur of 3 x 3 points: a horizontal stage `bh` and a vertical stage `bv`.
/// `image` has the points of the image, and `result` those of the result. `boundary` says which values lie
/// beyond the image.
template <class T, int N, class Mean = ExactMean>
tessera::Pipeline make_pipeline(const tessera::Box& image, const tessera::Box& result,
                                tessera::Boundary boundary) {
  tessera::Pipeline pipeline;
  const auto input = pipeline.input<T, N>("input", image, boundary);
  const auto bh = pipeline.stage<T>("bh", BlurX<Mean>{}, input);
  const auto bv = pipeline.stage<T>("bv", BlurY<Mean>{}, bh);
  pipeline.output(bv, result);
  return pipeline;
}

}  // namespace blur
