// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/pipeline/inference/interval_arithmetic.hpp"
#include "tessera/view/compat.hpp"

// Elementary functions for stage bodies, with the same meaning for numbers and intervals. None of these
// functions decreases when its argument increases. For an interval, the bounds of the result are therefore
// the results at the bounds of the argument.

namespace tessera {

/// A floating-point number, or an interval of floating-point numbers.
template <class V>
concept FloatingOperand = std::is_floating_point_v<number_of<V>>;

namespace detail {

/// Returns the interval from `low` to `high`, which are the exact results of a function at the bounds of the
/// interval `of`.
template <class T>
KOKKOS_FUNCTION Interval<T> between(T low, T high, const Interval<T>& of) {
  return Interval<T>(low, high, of.decisions, of.maybe_nan).traced(of.constancy());
}

/// Returns an interval that is wider than [low, high], where `low` and `high` are the results of a function
/// at the bounds of the interval `of`. The libraries of hosts and devices compute the function with errors of
/// a few ulps, and may replace small results by 0.
template <class T>
KOKKOS_FUNCTION Interval<T> about(T low, T high, const Interval<T>& of) {
  const T relative = 8 * LimitsOf<T>::epsilon;
  if (low == LimitsOf<T>::infinity) low = LimitsOf<T>::max;
  if (high == -LimitsOf<T>::infinity) high = LimitsOf<T>::lowest;
  low -= (low < 0 ? -low : low) * relative + LimitsOf<T>::min;
  high += (high < 0 ? -high : high) * relative + LimitsOf<T>::min;
  return between(low, high, of);
}

}  // namespace detail

/// Returns the greatest whole number that is not greater than `value`.
template <FloatingOperand V>
KOKKOS_FORCEINLINE_FUNCTION auto floor(V value) {
  if constexpr (is_interval<V>)
    return detail::between(compat::floor(value.lower), compat::floor(value.upper), value);
  else
    return compat::floor(value);
}

/// Returns the least whole number that is not less than `value`.
template <FloatingOperand V>
KOKKOS_FORCEINLINE_FUNCTION auto ceil(V value) {
  if constexpr (is_interval<V>)
    return detail::between(compat::ceil(value.lower), compat::ceil(value.upper), value);
  else
    return compat::ceil(value);
}

/// Returns the nearest whole number. Halves are rounded away from 0, as by std::round.
template <FloatingOperand V>
KOKKOS_FORCEINLINE_FUNCTION auto round(V value) {
  if constexpr (is_interval<V>)
    return detail::between(compat::round(value.lower), compat::round(value.upper), value);
  else
    return compat::round(value);
}

/// Returns e to the power of `value`.
template <FloatingOperand V>
KOKKOS_FORCEINLINE_FUNCTION auto exp(V value) {
  if constexpr (is_interval<V>) {
    V result = detail::about(compat::exp(value.lower), compat::exp(value.upper), value);
    if (result.lower < 0) result.lower = 0;
    return result;
  } else {
    return compat::exp(value);
  }
}

/// Returns the natural logarithm of `value`. If an interval contains 0 or negative numbers, the result is the
/// whole range.
template <FloatingOperand V>
KOKKOS_FORCEINLINE_FUNCTION auto log(V value) {
  if constexpr (is_interval<V>) {
    // Devices may treat the smallest positive numbers as 0.
    if (!(value.lower >= LimitsOf<number_of<V>>::min))
      return V::whole(value.decisions).traced(value.constancy());
    return detail::about(compat::log(value.lower), compat::log(value.upper), value);
  } else {
    return compat::log(value);
  }
}

}  // namespace tessera
