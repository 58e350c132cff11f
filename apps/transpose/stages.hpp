// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/pipeline/algorithm/pipeline.hpp"

namespace transpose {

/// The point (y, x) of an image of (x, y) or (x, y, channel).
struct Transpose {
  static constexpr bool transposes = true;

  template <class In, class Coord, class... Rest>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y, Rest... rest) const {
    return in(y, x, rest...);
  }
};

/// Returns the pipeline with the stage `transposed`, whose columns are the rows of the image.
template <class T, int N>
tessera::Pipeline make_pipeline(const tessera::Box& image) {
  tessera::Pipeline pipeline;
  const auto input = pipeline.input<T, N>("input", image);
  tessera::Box turned = image;
  std::swap(turned[0], turned[1]);
  pipeline.output(pipeline.stage<T>("transposed", Transpose{}, input), turned);
  return pipeline;
}

}  // namespace transpose
