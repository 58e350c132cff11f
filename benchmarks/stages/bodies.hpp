// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/pipeline/body/functions.hpp"

namespace bench {

// Stage bodies as users write them; hand_loops.hpp has the same sums in plain loops.

struct Copy {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(x, y);
  }
};

/// The mean of 3x3 floats.
struct Box3x3 {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return (in(x - 1, y - 1) + in(x, y - 1) + in(x + 1, y - 1) + in(x - 1, y) + in(x, y) + in(x + 1, y) +
            in(x - 1, y + 1) + in(x, y + 1) + in(x + 1, y + 1)) *
           (1.0f / 9);
  }
};

/// A step of the heat equation, of floats: nothing that compilers might contract in two ways.
struct FivePoint {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return (in(x, y - 1) + in(x - 1, y) + in(x + 1, y) + in(x, y + 1) - 4 * in(x, y)) * 0.125f + in(x, y);
  }
};

/// The weights 1 4 6 4 1 along x, of bytes.
struct Row5 {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return tessera::cast<std::uint8_t>(
        (in(x - 2, y) + 4 * in(x - 1, y) + 6 * in(x, y) + 4 * in(x + 1, y) + in(x + 2, y) + 8) / 16);
  }
};

/// The same along y.
struct Column5 {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return tessera::cast<std::uint8_t>(
        (in(x, y - 2) + 4 * in(x, y - 1) + 6 * in(x, y) + 4 * in(x, y + 1) + in(x, y + 2) + 8) / 16);
  }
};

}  // namespace bench
