// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/domain/box.hpp"
#include "tessera/domain/coordinate.hpp"

namespace tessera {

/// The points that one call of a stage body computes: `X` that follow each other along x, from a multiple of
/// X on, in each of `Planes` planes, which are all points of the last dimension.
template <int X, int Planes>
struct Unit {
  static_assert(X >= 1 && Planes >= 1);
  static constexpr int x = X;
  static constexpr int planes = Planes;
  static constexpr int points = X * Planes;
  /// The dimensions in which units of N-dimensional arrays are counted.
  template <int N>
  static constexpr int dimensions = Planes > 1 ? N - 1 : N;

  /// The units that have points in `box`.
  KOKKOS_FUNCTION static Box over(Box box) {
    if constexpr (X > 1)
      box[0] = {floor_divide<std::int64_t>(box[0].begin, X),
                floor_divide<std::int64_t>(box[0].end - 1, X) + 1};
    if constexpr (Planes > 1) --box.dimensions;
    return box;
  }
};

using SinglePoint = Unit<1, 1>;

}  // namespace tessera
