// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/domain/box.hpp"
#include "tessera/domain/coordinate.hpp"

namespace tessera {

/// The points that one call of a stage body computes: `X` points that follow each other along x, from a
/// multiple of X on, in each of `Planes` planes, which are all points of the last dimension.
template <int X, int Planes>
struct Unit {
  static_assert(X >= 1 && Planes >= 1);
  /// The points of a unit along x.
  static constexpr int x = X;
  /// The planes of a unit.
  static constexpr int planes = Planes;
  /// The points of a unit.
  static constexpr int points = X * Planes;
  /// The number of dimensions in which the units of an N-dimensional array are counted.
  template <int N>
  static constexpr int dimensions = Planes > 1 ? N - 1 : N;

  /// The box of the units that have points in `box`.
  KOKKOS_FUNCTION static Box over(Box box) {
    if constexpr (X > 1)
      box[0] = {floor_divide<std::int64_t>(box[0].begin, X),
                floor_divide<std::int64_t>(box[0].end - 1, X) + 1};
    if constexpr (Planes > 1) --box.dimensions;
    return box;
  }
};

/// The unit of most stages: one point.
using SinglePoint = Unit<1, 1>;

}  // namespace tessera
