// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/domain/box.hpp"
#include "tessera/pipeline/body/functions.hpp"

namespace local_laplacian {

/// Returns the mean of the 4 x 4 points at(-1, -1) to at(2, 2), weighted by 1 3 3 1 in each direction.
template <class At>
KOKKOS_FUNCTION auto quarter(const At& at) {
  const auto row = [&](int j) { return at(-1, j) + 3.0f * (at(0, j) + at(1, j)) + at(2, j); };
  return (row(-1) + 3.0f * (row(0) + row(1)) + row(2)) * 0.015625f;
}

/// A level that is computed wherever it is needed: its points are read as they are.
struct Everywhere {
  template <class Coord>
  KOKKOS_FUNCTION const Coord& x(const Coord& at) const {
    return at;
  }
  template <class Coord>
  KOKKOS_FUNCTION const Coord& y(const Coord& at) const {
    return at;
  }
};

/// A level that is computed only where its points may differ from their neighbours, from `first` to last_x
/// and last_y. As the edges of the image are replicated without end, the level is constant along x (or y)
/// beyond these, and reads of other points become reads of the nearest of them. Point x of level j is made of
/// the points 2^j x - 2^j + 1 to 2^j x + 2^(j+1) - 2 of the image.
struct Within {
  int last_x;
  int last_y;
  static constexpr int first = -2;

  static Within of(const tessera::Box& image, int level) {
    const auto last = [&](std::int64_t extent) {
      return static_cast<int>((extent - 2 + (std::int64_t(1) << level) - 1) >> level) + 1;
    };
    return {last(image[0].size()), last(image[1].size())};
  }
  template <class Coord>
  KOKKOS_FUNCTION auto x(const Coord& at) const {
    return tessera::clamp(at, first, last_x);
  }
  template <class Coord>
  KOKKOS_FUNCTION auto y(const Coord& at) const {
    return tessera::clamp(at, first, last_y);
  }
};

/// A level of (x, y) at half the resolution.
template <class Held>
struct Down {
  Held held;

  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return quarter([&](int i, int j) { return in(held.x(2 * x + i), held.y(2 * y + j)); });
  }
};
/// A level of (k, x, y) at half the resolution, a line along k at a time.
template <class Held>
struct DownLine {
  static constexpr bool each_only = true;
  Held held;

  template <class Line, class In, class Coord>
  KOKKOS_FUNCTION void operator()(Line& line, const In& in, Coord x, Coord y) const {
    line.each([&](const auto& k) {
      return quarter([&](int i, int j) { return in(k, held.x(2 * x + i), held.y(2 * y + j)); });
    });
  }
};

/// Returns a point of the level `at` at twice its resolution, by linear interpolation between the centres of
/// points: along each dimension, three quarters of the nearest point and a quarter of the next one. `near_x`
/// and `next_x` are the columns of these points, and y is the row at the higher resolution.
template <class At, class Near, class Next, class Coord>
KOKKOS_FORCEINLINE_FUNCTION auto upsampled(const At& at, const Near& near_x, const Next& next_x,
                                           const Coord& y) {
  const auto row = [&](const auto& j) { return 0.75f * at(near_x, j) + 0.25f * at(next_x, j); };
  return 0.75f * row(y / 2) + 0.25f * row(y / 2 + 2 * (y % 2) - 1);
}

}  // namespace local_laplacian
