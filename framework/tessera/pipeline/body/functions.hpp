// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <utility>

#include "tessera/domain/box.hpp"
#include "tessera/pipeline/inference/interval_arithmetic.hpp"
#include "tessera/view/compat.hpp"

namespace tessera {

// Elementary functions for stage bodies, with the same meaning for numbers and intervals. None of these
// functions decreases when its argument increases. For an interval, the bounds of the result are therefore
// the results at the bounds of the argument.

/// A floating-point number, or an interval of floating-point numbers.
template <class V>
concept FloatingOperand = std::is_floating_point_v<number_type<V>>;

namespace detail {

/// Returns the interval from `low` to `high`, which are the results of a function at the bounds of the
/// interval `of`.
template <class T>
KOKKOS_FUNCTION Interval<T> between(T low, T high, const Interval<T>& of) {
  return Interval<T>(low, high, of.decisions, of.maybe_nan).traced(of.constancy());
}

/// Returns function(value). For an interval, the results at its bounds are the bounds of the result, and must
/// be exact.
template <class V, class Function>
KOKKOS_FORCEINLINE_FUNCTION auto at_bounds(const V& value, const Function& function) {
  if constexpr (is_interval<V>)
    return between(function(value.lower), function(value.upper), value);
  else
    return function(value);
}

/// Returns an interval that is wider than between(low, high, of). The libraries of hosts and devices compute
/// the function with errors of a few ulps, and may replace small results by 0.
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
  return detail::at_bounds(value, [](auto number) { return compat::floor(number); });
}

/// Returns the least whole number that is not less than `value`.
template <FloatingOperand V>
KOKKOS_FORCEINLINE_FUNCTION auto ceil(V value) {
  return detail::at_bounds(value, [](auto number) { return compat::ceil(number); });
}

/// Returns the nearest whole number. Halves are rounded away from 0, as by std::round.
template <FloatingOperand V>
KOKKOS_FORCEINLINE_FUNCTION auto round(V value) {
  return detail::at_bounds(value, [](auto number) { return compat::round(number); });
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
    if (!(value.lower >= LimitsOf<number_type<V>>::min))
      return V::whole(value.decisions).traced(value.constancy());
    return detail::about(compat::log(value.lower), compat::log(value.upper), value);
  } else {
    return compat::log(value);
  }
}

// The functions that stage bodies use instead of those of <cmath> and <algorithm>. They have the same meaning
// for numbers and intervals. Operands are passed by value, because constants at namespace scope have no
// address on devices.

/// The greatest value of T. It is a constant, because devices cannot call std::numeric_limits.
template <class T>
inline constexpr T highest = LimitsOf<T>::max;

/// Returns `value`, a number or an interval, converted to T as by static_cast.
template <class T, class V>
KOKKOS_FORCEINLINE_FUNCTION auto cast(V value) {
  if constexpr (is_interval<V>)
    return to_interval<T>(value);
  else
    return static_cast<T>(value);
}

/// Returns the lesser of two values. If `a` is NaN, the result is `b`; if `b` is NaN, the result is NaN.
template <class A, class B>
KOKKOS_FORCEINLINE_FUNCTION auto min(A a, B b) {
  using R = arithmetic_result<A, B>;
  if constexpr (IntervalOperands<A, B>) {
    const detail::Operands<A, B> o(a, b);
    return Interval<R>(detail::lesser(o.a.lower, o.b.lower),
                       o.a.maybe_nan ? o.b.upper : detail::lesser(o.a.upper, o.b.upper), o.decisions,
                       o.b.maybe_nan)
        .traced(o.common());
  } else if constexpr (std::is_same_v<A, B>) {
    return static_cast<R>(a < b ? a : b);  // compared in vector lanes of the size of A
  } else {
    const R left = static_cast<R>(a), right = static_cast<R>(b);
    return left < right ? left : right;
  }
}

/// Returns the greater of two values. If `a` is NaN, the result is `b`; if `b` is NaN, the result is NaN.
template <class A, class B>
KOKKOS_FORCEINLINE_FUNCTION auto max(A a, B b) {
  using R = arithmetic_result<A, B>;
  if constexpr (IntervalOperands<A, B>) {
    const detail::Operands<A, B> o(a, b);
    return Interval<R>(o.a.maybe_nan ? o.b.lower : detail::greater(o.a.lower, o.b.lower),
                       detail::greater(o.a.upper, o.b.upper), o.decisions, o.b.maybe_nan)
        .traced(o.common());
  } else if constexpr (std::is_same_v<A, B>) {
    return static_cast<R>(a > b ? a : b);
  } else {
    const R left = static_cast<R>(a), right = static_cast<R>(b);
    return left > right ? left : right;
  }
}

/// Returns `value` limited to [low, high]. NaN becomes `low`.
template <class V, class L, class H>
KOKKOS_FORCEINLINE_FUNCTION auto clamp(V value, L low, H high) {
  return tessera::min(tessera::max(value, low), high);
}

/// Returns a floating-point value as an element of T, a floating-point type or an unsigned integer of at most
/// 16 bits. For integers it is rounded to the nearest, where halves become the greater one, and limited to
/// the range of T; NaN becomes 0.
template <class T, class V>
KOKKOS_FORCEINLINE_FUNCTION auto rounded(V value) {
  if constexpr (std::is_floating_point_v<T>) {
    return tessera::cast<T>(value);
  } else {
    static_assert(std::is_unsigned_v<T> && sizeof(T) <= 2);
    using F = number_type<V>;
    // The greatest number below a half, so that the sum is never rounded up to the next integer.
    constexpr F below_half = static_cast<F>(std::is_same_v<F, float> ? 0.49999997 : 0.49999999999999994);
    return tessera::cast<T>(
        tessera::cast<std::int32_t>(tessera::clamp(value, F(0), F(highest<T>)) + below_half));
  }
}

/// Returns the absolute value. The result has the type of `value + value`.
template <class V>
KOKKOS_FORCEINLINE_FUNCTION auto abs(V value) {
  if constexpr (is_interval<V>) {
    using R = arithmetic_result<V, V>;
    const Interval<R> v = to_interval<R>(value);
    const auto zero = typename BoundOf<R>::type(0);
    if (v.lower < -BoundOf<R>::highest()) return Interval<R>::whole(v.decisions).traced(v.constancy());
    return Interval<R>::of_result(
               v.lower > zero   ? v.lower
               : v.upper < zero ? -v.upper
                                : zero,
               detail::greater(v.lower < zero ? -v.lower : v.lower, v.upper < zero ? -v.upper : v.upper),
               v.decisions, v.maybe_nan)
        .traced(v.constancy());
  } else {
    using R = arithmetic_result<V, V>;
    const R v = static_cast<R>(value);
    return v < R(0) ? static_cast<R>(-v) : v;
  }
}

/// Returns a * b / 2^15, rounded to the nearest integer; halves are rounded up. Both factors are integers of
/// 16 bits, and so is the result, which is wrong only for (-2^15) * (-2^15). With one factor in units of
/// 2^-15 this is a product in fixed-point arithmetic. Many processors have a single instruction for it
/// (`pmulhrsw` on x86, `sqrdmulh` on Arm).
template <class A, class B>
KOKKOS_FORCEINLINE_FUNCTION auto multiply_rounded(A a, B b) {
  static_assert(std::is_same_v<number_type<A>, std::int16_t> && std::is_same_v<number_type<B>, std::int16_t>,
                "multiply_rounded takes two factors of std::int16_t: use cast<std::int16_t>");
  // Compilers know this form of the sum, and not (product + 2^14) >> 15.
  const auto rounded = [](auto product) { return ((product >> 14) + 1) >> 1; };
  if constexpr (IntervalOperands<A, B>) {
    const auto product = a * b;
    return Interval<std::int16_t>::of_result(rounded(product.lower), rounded(product.upper),
                                             product.decisions)
        .traced(product.constancy());
  } else {
    return static_cast<std::int16_t>(rounded(static_cast<int>(a) * static_cast<int>(b)));
  }
}

/// Returns the square root of a floating-point value.
template <class V>
KOKKOS_FORCEINLINE_FUNCTION auto sqrt(V value) {
  if constexpr (is_interval<V>) {
    using R = number_type<V>;
    if (value.maybe_nan || value.lower < 0 || !(value.upper < BoundOf<R>::highest()))
      return Interval<R>::whole(value.decisions).traced(value.constancy());
    return Interval<R>::of_result(compat::sqrt(value.lower), compat::sqrt(value.upper), value.decisions)
        .traced(value.constancy());
  } else {
    return compat::sqrt(value);
  }
}

/// Returns `a` if `condition` holds, else `b`. Both values are computed before the call, so that there is no
/// branch. If inference cannot decide the condition, the result is the least interval that contains both.
template <class C, class A, class B>
KOKKOS_FORCEINLINE_FUNCTION auto select(C condition, A a, B b) {
  using R = arithmetic_result<A, B>;
  if constexpr (std::is_same_v<C, Truth> || is_interval<A> || is_interval<B>) {
    Interval<R> left = to_interval<R>(a), right = to_interval<R>(b);
    Truth truth{Truth::no};
    if constexpr (std::is_same_v<C, Truth>)
      truth = condition;
    else
      truth = known(condition);
    // The result may come from a plain number, which has no tape: it gets a tape, too.
    Decisions* const tape = left.decisions ? left.decisions : right.decisions;
    left.decisions = right.decisions = tape ? tape : truth.decisions;
    if (truth.value == Truth::yes) return left;
    if (truth.value == Truth::no) return right;
    return Interval<R>(detail::lesser(left.lower, right.lower), detail::greater(left.upper, right.upper),
                       left.decisions, left.maybe_nan || right.maybe_nan)
        .traced(hull(left.provenance, right.provenance));
  } else {
    return condition ? static_cast<R>(a) : static_cast<R>(b);
  }
}

/// Tells a stage body whether a point lies in the domain of an N-dimensional array. The body holds an Inside
/// as a member. It can then treat neighbours outside the domain in a way of its own, for example leave them
/// out of a mean, where the boundary condition of the array gives them a value that the body does not use.
/// Aldinucci et al. ("A parallel pattern for iterative stencil + reduce", 2018) call such neighbours bottom.
///
///     struct Neighbours {  // how many of the two neighbours in the row are in the image
///       Inside<2> inside;
///       template <class In, class Coord>
///       KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
///         return select(inside(x - 1, y), 1, 0) + select(inside(x + 1, y), 1, 0);
///       }
///     };
template <int N>
class Inside {
 public:
  /// Makes the object for an array with the domain `domain`, which has N dimensions.
  explicit Inside(const Box& domain) {
    for (int d = 0; d < N; ++d) {
      begin_[d] = static_cast<int>(domain[d].begin);
      end_[d] = static_cast<int>(domain[d].end);
    }
  }

  /// Returns whether the point with these coordinates, x first, lies in the domain. The result is a condition
  /// for `select` or for a branch.
  template <class... Coordinates>
  requires(sizeof...(Coordinates) == N)
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(Coordinates... at) const {
    return all(std::index_sequence_for<Coordinates...>{}, at...);
  }

 private:
  template <std::size_t... D, class... Coordinates>
  KOKKOS_FORCEINLINE_FUNCTION auto all(std::index_sequence<D...>, Coordinates... at) const {
    return ((at >= begin_[D] && at < end_[D]) && ...);
  }

  int begin_[N];
  int end_[N];
};

}  // namespace tessera
