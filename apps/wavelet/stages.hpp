// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/pipeline/algorithm/pipeline.hpp"

namespace wavelet {

/// Daubechies' D4 (I. Daubechies, Orthonormal bases of compactly supported wavelets, 1988), along x: the low
/// and the high band of the points 2x - 1 to 2x + 2.
struct Bands {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    constexpr float d0 = 0.4829629131445341f, d1 = 0.83651630373780772f, d2 = 0.22414386804201339f,
                    d3 = -0.12940952255126034f;
    const auto a = in(2 * x - 1, y), b = in(2 * x, y), c = in(2 * x + 1, y), d = in(2 * x + 2, y);
    return tessera::pack(d0 * a + d1 * b + d2 * c + d3 * d, d3 * a - d2 * b + d1 * c - d0 * d);
  }
};

/// Returns the pipeline with the stage `bands` of (x, y, band), which is half as wide as the image. The edges
/// of the image are replicated.
inline tessera::Pipeline make_pipeline(const tessera::Box& image) {
  tessera::Pipeline pipeline;
  const auto input = pipeline.input<float, 2>("input", image, tessera::Boundary::clamp);
  const auto bands = pipeline.planes<float, 3, 2>("bands", Bands{}, input);
  pipeline.output(bands, tessera::Box{{0, image[0].size() / 2}, image[1], {0, 2}});
  return pipeline;
}

}  // namespace wavelet
