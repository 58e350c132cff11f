// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace kmeans {

/// The range of binary exponents of all coordinates: they are less than 2^top in magnitude, and multiples of
/// 2^bottom.
struct Exponents {
  int top = 0;
  int bottom = 0;
};

/// Fixed windows of bits in which sums of coordinates are exact. Each number is split into parts, one for
/// each window, which are integers times the unit of the window, 2^unit. The integers are so small that the
/// sum of as many as there are points fits into 64 bits, so that sums neither round nor depend on an order.
/// See Demmel and Nguyen, "Fast reproducible floating-point summation" (ARITH 2013).
struct Windows {
  /// The greatest number of windows.
  static constexpr int most = 10;
  /// The exponent of the least positive double.
  static constexpr int lowest_unit = -1074;

  /// The number of windows.
  int count = 0;
  /// The exponents of the units, in descending order.
  int unit[most] = {};
  /// The magic numbers of the windows: 1.5 * 2^(52 + unit). If |x| is at most 2^(51 + unit), the result of
  /// (x + magic) - magic is x, rounded to a multiple m of the unit. As integers, the bits of x + magic are
  /// the bits of magic plus m.
  double magic[most] = {};

  /// Returns the bits of a window for sums of `points` numbers.
  static int width(std::int64_t points) {
    return std::min(51, 62 - static_cast<int>(std::bit_width(static_cast<std::uint64_t>(points))));
  }
  /// Returns the number of windows for numbers whose exponents differ by `range`.
  static int needed(int range, std::int64_t points) {
    const int first = width(points);
    return range <= first ? 1 : 1 + (range - first + first) / (first + 1);
  }
  /// Returns the greatest number of windows that sums of `points` numbers of type In may need.
  template <class In>
  static int most_of(std::int64_t points) {
    using Limits = std::numeric_limits<In>;
    if constexpr (std::is_integral_v<In>) return 1;
    constexpr int range = Limits::max_exponent - Limits::min_exponent + Limits::digits;
    return std::min(+most, needed(range, points));
  }
  /// Makes the windows for sums of `points` numbers. There must not be more than `most`.
  static Windows of(const Exponents& exponents, std::int64_t points) {
    Windows windows;
    int unit = exponents.top - width(points);
    for (bool is_enough = false; !is_enough; unit -= width(points) + 1) {
      unit = std::max(unit, lowest_unit);
      is_enough = unit <= exponents.bottom;
      windows.unit[windows.count] = unit;
      windows.magic[windows.count++] = std::bit_cast<double>(
          (static_cast<std::uint64_t>(unit + 52 + 1023) << 52) | (std::uint64_t(1) << 51));
    }
    return windows;
  }
};

}  // namespace kmeans
