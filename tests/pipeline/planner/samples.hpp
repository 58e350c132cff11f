// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/pipeline/algorithm/pipeline.hpp"

namespace tessera::test {

/// The sum of a point and its two neighbours along x, or along y.
struct SumAlongX {
  template <class U, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, Coord x, Coord y) const {
    return u(x - 1, y) + u(x, y) + u(x + 1, y);
  }
};
struct SumAlongY {
  template <class U, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, Coord x, Coord y) const {
    return u(x, y - 1) + u(x, y) + u(x, y + 1);
  }
};

/// An input, its sums along x, and of those the sums along y, which are the output: arrays 0, 1 and 2.
inline Pipeline two_sums(const Box& image) {
  Pipeline pipeline;
  const auto input = pipeline.input<float, 2>("input", image, Boundary::clamp);
  const auto horizontal = pipeline.stage<float>("horizontal", SumAlongX(), input);
  pipeline.output(pipeline.stage<float>("vertical", SumAlongY(), horizontal), image);
  return pipeline;
}

}  // namespace tessera::test
