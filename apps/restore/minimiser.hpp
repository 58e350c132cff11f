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
/// is least. F is computed in fixed point, as multiples of 2^-14, so that sums are exact.
///
/// Let D(u) = F(u + 1) - F(u). Every term of F is convex, so that D never decreases: F falls while D < 0 and
/// nowhere after. The smallest minimum is therefore at the first u with D(u) >= 0. It lies in 0..255: below 0
/// all terms fall, |u - current| by 1, and from 255 on they rise. Eight values of D that follow each other
/// tell where the first u is, if some of them are negative and some are not. They are taken around the mean
/// of the two middle values of the neighbours, where the minimum mostly lies. If all eight have the same
/// sign, eight steps of bisection find it.
class Minimiser {
 public:
  /// D stays within 32 bits for these.
  static constexpr double least_alpha = 1, greatest_alpha = 2;
  static constexpr double greatest_beta = 60;
  static constexpr double unit = 1 << 14;

  /// Tabulates the slopes: the differences of (beta / 2) |d|^alpha, and of |d|, from d to d + 1. The slopes
  /// are rounded, and not the powers: rounding keeps the order of slopes, so that F stays convex.
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

  /// Returns the place of the slope at 0 in the row for neighbours of this weight, or, for own_row, in the
  /// row for |u - current|.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int row(int weight) { return row_width * weight + row_centre; }
  static constexpr int own_row = 3;

  /// Returns the slopes of a term, from u = 0 on. `place` is row() minus the value of the term.
  KOKKOS_FORCEINLINE_FUNCTION const std::int32_t* term(int place) const { return slopes_ + place; }

  /// Returns D(u), in units of 2^-14, for u in -4..258.
  KOKKOS_FORCEINLINE_FUNCTION static std::int32_t slope(const Terms& terms, int u) {
    std::int32_t sum = terms.own[u];
    for (const std::int32_t* neighbour : terms.neighbours) sum += neighbour[u];
    return sum;
  }

  /// Returns the first of the u that `negative_slopes` looks at, -4 to 251, if the neighbours have these
  /// values. It is not needed for a right result: it makes it likely that bisection is not needed.
  KOKKOS_FORCEINLINE_FUNCTION static int window(const std::array<int, 4>& values) {
    int least = values[0], greatest = values[0], sum = values[0];
    for (std::size_t i = 1; i < 4; ++i) {
      least = values[i] < least ? values[i] : least;
      greatest = values[i] > greatest ? values[i] : greatest;
      sum += values[i];
    }
    return ((sum - least - greatest) >> 1) - window_width / 2;
  }
  /// Returns the number of those of the eight u from `first` on that have a negative D.
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
  /// Returns the minimum by bisection. Before each step, D(u) < 0 for all u below `least`, and D(u) >= 0 for
  /// u = least + 2 * step - 1.
  KOKKOS_FORCEINLINE_FUNCTION static int bisect(const Terms& terms) {
    int least = 0;
    for (int step = 128; step > 0; step /= 2) least += (slope(terms, least + step - 1) >> 31) & step;
    return least;
  }

 private:
  static constexpr int window_width = 8;
  /// A row has the slopes at -259 to 258 from a value. The slope at 0 lies at row_centre. There is a row for
  /// each of the weights 0 to 2, and own_row.
  static constexpr int row_centre = 255 + window_width / 2;
  static constexpr int row_width = 2 * row_centre;

  std::int32_t slopes_[row_width * (own_row + 1)] = {};
};

}  // namespace restore
