// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "tessera/view/compat.hpp"

namespace restore {

/// The terms of the function below for one pixel: the slopes of each, from u = 0 on.
struct Terms {
  const std::int32_t* own;
  std::array<const std::int32_t*, 4> neighbours;
};

/// Finds the smallest u in 0..255 at which
///
///     F(u) = |u - current| + (beta / 2) * sum over the 4 neighbours of weight * |u - value|^alpha
///
/// is least, F in fixed point: multiples of 2^-14, so that sums are exact.
///
/// Let D(u) = F(u + 1) - F(u). Every term of F is convex, so that D never decreases: F falls while D < 0 and
/// nowhere after. The smallest minimum is therefore at the first u with D(u) >= 0. It lies in 0..255: below 0
/// all terms fall, |u - current| by 1, and from 255 on they rise. Eight values of D that follow each other,
/// some of them negative and some not, tell where that is. They are taken around the mean of the two
/// neighbours in the middle, where the minimum mostly lies; when all have one sign eight steps of bisection
/// find it.
class Minimiser {
 public:
  /// D stays within 32 bits for these.
  static constexpr double least_alpha = 1, greatest_alpha = 2;
  static constexpr double greatest_beta = 60;
  static constexpr double unit = 1 << 14;

  /// Tabulates the slopes: the differences of |d|^alpha, and of |d|, from d to d + 1. They are rounded, not
  /// the powers: rounding keeps their order, and sums of what never decreases are convex.
  Minimiser(double alpha, double beta) {
    std::int32_t last = 0;
    for (int d = 0; d < row_centre; ++d) {
      const double rise = std::pow(d + 1.0, alpha) - std::pow(double(d), alpha);
      last = std::max(last, static_cast<std::int32_t>(std::lround(unit * beta / 2 * rise)));
      const std::int32_t rises[] = {0, last, 2 * last, static_cast<std::int32_t>(unit)};
      for (int weight = 0; weight <= own_row; ++weight) {
        slopes_[row(weight) + d] = rises[weight];
        slopes_[row(weight) - d - 1] = -rises[weight];
      }
    }
  }

  /// Where the slopes of a neighbour of this weight lie, and of |u - current| with own_row.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int row(int weight) { return row_width * weight + row_centre; }
  static constexpr int own_row = 3;

  /// The slopes of a term, from u = 0 on; `place` is its row less its value.
  KOKKOS_FORCEINLINE_FUNCTION const std::int32_t* term(int place) const { return slopes_ + place; }

  /// D(u), in units of 2^-14, for u in -4..258.
  KOKKOS_FORCEINLINE_FUNCTION static std::int32_t slope(const Terms& terms, int u) {
    std::int32_t sum = terms.own[u];
    for (const std::int32_t* neighbour : terms.neighbours) sum += neighbour[u];
    return sum;
  }

  /// The first of the u that `negative_slopes` looks at, -4 to 251, of neighbours with these values. Any
  /// other would do, but less often.
  KOKKOS_FORCEINLINE_FUNCTION static int window(const std::array<int, 4>& values) {
    int least = values[0], greatest = values[0], sum = values[0];
    for (std::size_t i = 1; i < 4; ++i) {
      least = values[i] < least ? values[i] : least;
      greatest = values[i] > greatest ? values[i] : greatest;
      sum += values[i];
    }
    return ((sum - least - greatest) >> 1) - window_width / 2;
  }
  /// How many of the u from `first` on have a negative D.
  KOKKOS_FORCEINLINE_FUNCTION static int negative_slopes(const Terms& terms, int first) {
    std::int32_t count = 0;
#pragma omp simd reduction(+ : count)
    for (int j = 0; j < window_width; ++j) count -= slope(terms, first + j) >> 31;
    return count;
  }
  /// Returns whether this number of negative slopes shows that the minimum is at first + negative.
  KOKKOS_FORCEINLINE_FUNCTION static bool is_found(int negative) {
    return negative > 0 && negative < window_width;
  }
  /// The minimum, wherever it is. Always D(u) < 0 below `least`, and not at least + 2 * step - 1.
  KOKKOS_FORCEINLINE_FUNCTION static int bisect(const Terms& terms) {
    int least = 0;
    for (int step = 128; step > 0; step /= 2) least += (slope(terms, least + step - 1) >> 31) & step;
    return least;
  }

 private:
  static constexpr int window_width = 8;
  /// Slopes from -259 to 258 away from a value, by weights and own_row. Where that of 0 lies:
  static constexpr int row_centre = 255 + window_width / 2;
  static constexpr int row_width = 2 * row_centre;

  std::int32_t slopes_[row_width * (own_row + 1)] = {};
};

}  // namespace restore
