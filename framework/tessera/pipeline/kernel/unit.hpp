// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/domain/box.hpp"
#include "tessera/domain/coordinate.hpp"

namespace tessera {

/// A unit: the points that one call of a stage body computes. Along x, these are X points that follow each
/// other, and the coordinate of the first point is a multiple of X. If `Planes` is greater than 1, the last
/// dimension of the array has `Planes` points, and a unit has X points in each plane. A plane is all points
/// that have the same last coordinate.
template <int X, int Planes>
struct Unit {
  static_assert(X >= 1 && Planes >= 1);
  /// The number of points of a unit along x.
  static constexpr int x = X;
  /// The number of planes of a unit.
  static constexpr int planes = Planes;
  /// The number of points of a unit.
  static constexpr int points = X * Planes;
  /// The number of coordinates of a unit in an N-dimensional array. If `Planes` is greater than 1, a unit has
  /// no coordinate in the last dimension.
  template <int N>
  static constexpr int dimensions = Planes > 1 ? N - 1 : N;

  /// Returns the coordinates of all units that have points in `box`, as a box. The unit with the coordinate x
  /// has the points X * x to X * x + X - 1 along x.
  KOKKOS_FUNCTION static Box over(Box box) {
    if constexpr (X > 1)
      box[0] = {floor_divide<std::int64_t>(box[0].begin, X),
                floor_divide<std::int64_t>(box[0].end - 1, X) + 1};
    if constexpr (Planes > 1) --box.dimensions;
    return box;
  }
};

/// The unit of most stages, which is one point.
using SinglePoint = Unit<1, 1>;

}  // namespace tessera
