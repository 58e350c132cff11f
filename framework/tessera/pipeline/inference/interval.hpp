// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Macros.hpp>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "tessera/domain/coordinate.hpp"
#include "tessera/pipeline/inference/decisions.hpp"
#include "tessera/pipeline/inference/provenance.hpp"

namespace tessera {

template <class T>
struct Interval;

template <class U, class V>
KOKKOS_FUNCTION Interval<U> to_interval(const V& value);

/// The type of the numbers that an operand in a body stands for. An operand of type T that is not an interval
/// stands for a number of type T.
template <class T>
struct NumberOf {
  /// The type of the number.
  using type = T;
};
/// An Interval<T> stands for numbers of type T.
template <class T>
struct NumberOf<Interval<T>> {
  /// The type of the number.
  using type = T;
};
/// The type of the numbers that T stands for, ignoring references and const (see NumberOf).
template <class T>
using number_type = typename NumberOf<std::remove_cvref_t<T>>::type;

/// Whether T is an Interval, ignoring references and const.
template <class T>
inline constexpr bool is_interval = std::is_same_v<std::remove_cvref_t<T>, Interval<number_type<T>>>;

/// Whether T is an arithmetic type or Coordinate.
template <class T>
inline constexpr bool is_number = std::is_arithmetic_v<T> || std::is_same_v<T, Coordinate>;

namespace detail {
template <class A, class B>
struct ArithmeticResult {
  using type = decltype(std::declval<A>() + std::declval<B>());
};
template <std::floating_point B>
struct ArithmeticResult<Coordinate, B> {
  using type = B;
};
template <std::floating_point A>
struct ArithmeticResult<A, Coordinate> {
  using type = A;
};
}  // namespace detail

/// The number type of the result of an operation on an A and a B, which may be numbers or intervals. It is
/// the type of their sum in C++, but a Coordinate and a floating-point number give a number of the latter
/// type.
template <class A, class B>
using arithmetic_result = typename detail::ArithmeticResult<number_type<A>, number_type<B>>::type;

/// The values of std::numeric_limits as constants, because devices cannot call its functions.
template <class T>
struct LimitsOf {
  /// The least finite value.
  static constexpr T lowest = std::numeric_limits<T>::lowest();
  /// The greatest finite value.
  static constexpr T max = std::numeric_limits<T>::max();
  /// Positive infinity; 0 for integers.
  static constexpr T infinity = std::numeric_limits<T>::infinity();
  /// The difference between 1 and the next larger value; 0 for integers.
  static constexpr T epsilon = std::numeric_limits<T>::epsilon();
  /// The least positive normal value; for integers, the least value.
  static constexpr T min = std::numeric_limits<T>::min();
  /// The least positive value; 0 for integers.
  static constexpr T denorm_min = std::numeric_limits<T>::denorm_min();
};

/// The type of the bounds of an Interval<T>, and the bounds of the interval of all values of T, which is
/// called the whole range.
template <class T>
struct BoundOf {
  /// The type of a bound: T if it is floating, else std::int64_t.
  using type = std::conditional_t<std::is_floating_point_v<T>, T, std::int64_t>;
  /// The lower bound of the whole range; minus infinity for floating types.
  KOKKOS_FUNCTION static constexpr type lowest() {
    if constexpr (std::is_floating_point_v<T>)
      return -Limits::infinity;
    else
      return static_cast<type>(Limits::lowest);
  }
  /// The upper bound of the whole range; infinity for floating types. For std::uint64_t it is the greatest
  /// std::int64_t, which also stands for all larger numbers.
  KOKKOS_FUNCTION static constexpr type highest() {
    if constexpr (std::is_floating_point_v<T>)
      return Limits::infinity;
    else if constexpr (std::is_same_v<T, std::uint64_t>)
      return LimitsOf<std::int64_t>::max;
    else
      return static_cast<type>(Limits::max);
  }
  /// Whether the upper bound `bound` also stands for all larger numbers. This occurs only for std::uint64_t.
  KOKKOS_FUNCTION static constexpr bool is_open(type bound) {
    return std::is_same_v<T, std::uint64_t> && bound == highest();
  }

 private:
  using Limits = LimitsOf<std::conditional_t<std::is_same_v<T, Coordinate>, int, T>>;
};

namespace detail {
template <class T>
inline constexpr bool dependent_false = false;

/// The lesser of two bounds.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION constexpr T lesser(T a, T b) {
  return b < a ? b : a;
}
/// The greater of two bounds.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION constexpr T greater(T a, T b) {
  return a < b ? b : a;
}
}  // namespace detail

/// All values that a number of type T may take while a stage body runs on a box of points. Coordinates and
/// pixel values are intervals during inference. An interval may contain values that do not occur, but never
/// lacks one that does. Floating bounds are therefore widened after each operation that rounds. If the result
/// of an integer operation leaves the range of its type, the interval becomes the whole range, because the
/// number may wrap around.
template <class T>
struct Interval {
  /// The type of a bound.
  using Bound = typename BoundOf<T>::type;
  /// The least value.
  Bound lower;
  /// The greatest value.
  Bound upper;
  /// The tape for undecided conditions on this interval (see Decisions); null for a plain number that is
  /// written in the body.
  Decisions* decisions = nullptr;
  /// Whether the value may also be NaN.
  bool maybe_nan = false;
  /// How the bounds depend on the box that the body runs on.
  Provenance provenance;

  /// Makes the interval of the values from `low` to `high`, both inclusive, and of NaN if `nan` is true. The
  /// provenance is `varying`.
  KOKKOS_FUNCTION Interval(Bound low, Bound high, Decisions* tape, bool nan = false)
      : lower(low), upper(high), decisions(tape), maybe_nan(nan) {}
  /// Makes the interval of one known number. The provenance is `constant`. NaN becomes the whole range
  /// including NaN, because bounds must be numbers that can be compared.
  template <class U>
  requires is_number<U>
  KOKKOS_FUNCTION Interval(U number)
      : lower(is_nan(number) ? BoundOf<T>::lowest() : bound_of(number)),
        upper(is_nan(number) ? BoundOf<T>::highest() : bound_of(number)),
        maybe_nan(is_nan(number)),
        provenance{Provenance::constant} {}

  /// Assigns a number or interval, converted to T. This interval keeps its tape if `other` has none.
  template <class U>
  KOKKOS_FUNCTION Interval& operator=(const U& other) {
    Decisions* const tape = decisions;
    *this = to_interval<T>(other);
    if (decisions == nullptr) decisions = tape;
    return *this;
  }

  /// Returns this interval with the provenance `from`. If `from` is affine, but does not give the bounds of
  /// this interval on the box [-Provenance::limit, Provenance::limit), the provenance is `varying` instead.
  KOKKOS_FUNCTION Interval traced(const Provenance& from) const {
    Interval result = *this;
    result.provenance = from;
    if constexpr (std::is_integral_v<Bound>)
      if (from.kind == Provenance::affine && !from.matches(lower, upper)) result.provenance = {};
    return result;
  }
  /// Whether the bounds do not depend on the box.
  KOKKOS_FUNCTION bool is_constant() const { return provenance.kind == Provenance::constant; }
  /// Whether the bounds are an affine function of the coordinates in one dimension of the box (see
  /// Provenance).
  KOKKOS_FUNCTION bool is_affine() const { return provenance.kind == Provenance::affine; }
  /// Returns the provenance of the result of a function that has no closed form, when this interval is its
  /// argument: `constant` if this interval is constant, else `varying`.
  KOKKOS_FUNCTION Provenance constancy() const {
    return {is_constant() ? Provenance::constant : Provenance::varying};
  }

  /// Returns the interval of all values of T, which includes NaN for floating types.
  KOKKOS_FUNCTION static Interval whole(Decisions* tape) {
    return {BoundOf<T>::lowest(), BoundOf<T>::highest(), tape, std::is_floating_point_v<T>};
  }

  /// Returns the interval of the result of an operation, whose least and greatest values have been computed
  /// as `low` and `high`. Floating bounds are widened because of rounding. The interval includes NaN if `nan`
  /// is true or a bound is infinite. It is the whole range if an integer bound leaves the range of T, or if a
  /// floating bound is NaN.
  KOKKOS_FUNCTION static Interval of_result(Bound low, Bound high, Decisions* tape, bool nan = false) {
    if constexpr (std::is_floating_point_v<T>) {
      if (low != low || high != high) return whole(tape);
      nan = nan || is_infinite(low) || is_infinite(high);
      // A product that overflows stays finite if the compiler contracts it and the sum that follows to one
      // operation.
      if (low == BoundOf<T>::highest()) low = LimitsOf<T>::max;
      if (high == BoundOf<T>::lowest()) high = LimitsOf<T>::lowest;
      if (!is_infinite(low)) low -= slack(low);
      if (!is_infinite(high)) high += slack(high);
      return {low, high, tape, nan};
    } else {
      if (low < BoundOf<T>::lowest() || high > BoundOf<T>::highest()) return whole(tape);
      return {low, high, tape};
    }
  }

  /// Does not compile: inside a stage body an interval never becomes a plain number.
  template <class U>
  requires std::is_arithmetic_v<U>
  KOKKOS_FUNCTION operator U() const {
    static_assert(
        detail::dependent_false<U>,
        "Tessera: inside a stage body a pixel value or a coordinate cannot become a plain number. Declare "
        "variables with `auto`, start a sum with `in.zero()`, and convert with `tessera::cast<T>(value)`.");
    return U();
  }

 private:
  /// Whether a floating bound is infinite.
  KOKKOS_FUNCTION static constexpr bool is_infinite(Bound bound) {
    return bound == BoundOf<T>::lowest() || bound == BoundOf<T>::highest();
  }
  /// The amount that widens a floating bound: one or two ulps.
  KOKKOS_FUNCTION static constexpr Bound slack(Bound bound) {
    return (bound < 0 ? -bound : bound) * LimitsOf<T>::epsilon + LimitsOf<T>::denorm_min;
  }
  template <class U>
  KOKKOS_FUNCTION static constexpr Bound bound_of(U number) {
    if constexpr (std::is_same_v<U, std::uint64_t>)
      if (number > static_cast<std::uint64_t>(LimitsOf<std::int64_t>::max)) return BoundOf<T>::highest();
    return static_cast<Bound>(number);
  }
  template <class U>
  KOKKOS_FUNCTION static constexpr bool is_nan(U number) {
    if constexpr (std::is_floating_point_v<U>)
      return number != number;
    else
      return false;
  }
};

namespace detail {

/// Returns `value` converted to an interval of U. The provenance is `varying`.
template <class U, class S>
KOKKOS_FUNCTION Interval<U> converted(const Interval<S>& value) {
  using Bound = typename BoundOf<U>::type;
  if constexpr (std::is_floating_point_v<S> && !std::is_floating_point_v<U>) {
    // Beyond 2^62 the conversion is undefined or the bound is not exact.
    if (value.maybe_nan || !(value.lower > S(-4.0e18)) || !(value.upper < S(4.0e18)))
      return Interval<U>::whole(value.decisions);
    return Interval<U>::of_result(static_cast<Bound>(value.lower), static_cast<Bound>(value.upper),
                                  value.decisions);
  } else if constexpr (std::is_same_v<S, std::uint64_t>) {
    if (value.upper == BoundOf<S>::highest()) return Interval<U>::whole(value.decisions);
    return Interval<U>::of_result(Bound(value.lower), Bound(value.upper), value.decisions);
  } else {
    return Interval<U>::of_result(static_cast<Bound>(value.lower), static_cast<Bound>(value.upper),
                                  value.decisions, value.maybe_nan);
  }
}

}  // namespace detail

/// Returns `value`, a number or an interval, as an interval of U. Numbers are converted as in C++: floating
/// numbers are truncated to integers.
template <class U, class V>
KOKKOS_FUNCTION Interval<U> to_interval(const V& value) {
  if constexpr (!is_interval<V>) {
    return Interval<U>(static_cast<std::conditional_t<std::is_same_v<U, Coordinate>, int, U>>(value));
  } else if constexpr (std::is_same_v<U, number_type<V>>) {
    return value;
  } else {
    constexpr bool keeps_form = !std::is_floating_point_v<U> && !std::is_floating_point_v<number_type<V>>;
    return detail::converted<U>(value).traced(keeps_form || value.is_constant() ? value.provenance
                                                                                : Provenance());
  }
}

}  // namespace tessera
