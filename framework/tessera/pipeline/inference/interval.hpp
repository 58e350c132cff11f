// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Macros.hpp>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "tessera/domain/coordinate.hpp"
#include "tessera/pipeline/inference/decisions.hpp"
#include "tessera/pipeline/inference/provenance.hpp"

namespace tessera {

template <class T>
struct Interval;

template <class T>
struct IsInterval : std::false_type {};
template <class T>
struct IsInterval<Interval<T>> : std::true_type {};
template <class T>
inline constexpr bool is_interval = IsInterval<std::remove_cvref_t<T>>::value;

/// The type of the numbers that an operand of a body stands for: T for T and for Interval<T>.
template <class T>
struct NumberOf {
  using type = T;
};
template <class T>
struct NumberOf<Interval<T>> {
  using type = T;
};
template <class T>
using number_of = typename NumberOf<std::remove_cvref_t<T>>::type;

template <class T>
inline constexpr bool is_number = std::is_arithmetic_v<T> || std::is_same_v<T, Coordinate>;

/// The type of `a + b`: C++ promotions for values; a coordinate with an integer is a coordinate.
template <class A, class B>
struct ArithmeticResult {
  using type = decltype(A() + B());
};
template <class B>
struct ArithmeticResult<Coordinate, B> {
  using type = std::conditional_t<std::is_floating_point_v<B>, B, Coordinate>;
};
template <class A>
struct ArithmeticResult<A, Coordinate> : ArithmeticResult<Coordinate, A> {};
template <>
struct ArithmeticResult<Coordinate, Coordinate> {
  using type = Coordinate;
};
template <class A, class B>
using arithmetic_result = typename ArithmeticResult<number_of<A>, number_of<B>>::type;

/// std::numeric_limits as constants: devices cannot call its functions.
template <class T>
struct LimitsOf {
  static constexpr T lowest = std::numeric_limits<T>::lowest();
  static constexpr T max = std::numeric_limits<T>::max();
  static constexpr T infinity = std::numeric_limits<T>::infinity();
  static constexpr T epsilon = std::numeric_limits<T>::epsilon();
  static constexpr T min = std::numeric_limits<T>::min();
  static constexpr T denorm_min = std::numeric_limits<T>::denorm_min();
};

/// How the bounds of an Interval<T> are stored, and the whole range of T.
template <class T>
struct BoundOf {
  using type = std::conditional_t<std::is_floating_point_v<T>, T, std::int64_t>;
  KOKKOS_FUNCTION static constexpr type lowest() {
    if constexpr (std::is_floating_point_v<T>)
      return -LimitsOf<T>::infinity;
    else if constexpr (std::is_same_v<T, Coordinate>)
      return LimitsOf<int>::lowest;
    else
      return static_cast<type>(LimitsOf<T>::lowest);
  }
  /// For 64-bit unsigned numbers the bound stands for itself and everything above.
  KOKKOS_FUNCTION static constexpr type highest() {
    if constexpr (std::is_floating_point_v<T>)
      return LimitsOf<T>::infinity;
    else if constexpr (std::is_same_v<T, Coordinate>)
      return LimitsOf<int>::max;
    else if constexpr (std::is_same_v<T, std::uint64_t>)
      return LimitsOf<std::int64_t>::max;
    else
      return static_cast<type>(LimitsOf<T>::max);
  }
  /// This upper bound stands for larger numbers too.
  KOKKOS_FUNCTION static constexpr bool is_open(type bound) {
    return std::is_same_v<T, std::uint64_t> && bound == highest();
  }
};

namespace detail {
template <class T>
inline constexpr bool dependent_false = false;

template <class T>
KOKKOS_FORCEINLINE_FUNCTION constexpr T lesser(T a, T b) {
  return b < a ? b : a;
}
template <class T>
KOKKOS_FORCEINLINE_FUNCTION constexpr T greater(T a, T b) {
  return a < b ? b : a;
}
}  // namespace detail

/// All the values that a number may take while a stage body runs over a box of points: what coordinates and
/// pixel values are during footprint inference. Sound: never too small. Bounds are inclusive; floating bounds
/// are widened outward by an ulp per operation and carry a flag for NaN; an integer result that leaves its
/// type's range becomes the whole range, because it may wrap.
template <class T>
struct Interval {
  using Bound = typename BoundOf<T>::type;
  Bound lower;
  Bound upper;
  Decisions* decisions = nullptr;
  bool maybe_nan = false;
  Provenance provenance;

  KOKKOS_FUNCTION Interval(Bound low, Bound high, Decisions* tape, bool nan = false)
      : lower(low), upper(high), decisions(tape), maybe_nan(nan) {}
  /// A known number; NaN may be anything, as its bounds could not be compared.
  template <class U>
  requires is_number<U> KOKKOS_FUNCTION Interval(U number)
      : lower(is_nan(number) ? BoundOf<T>::lowest() : bound_of(number)),
        upper(is_nan(number) ? BoundOf<T>::highest() : bound_of(number)),
        maybe_nan(is_nan(number)),
        provenance{Provenance::constant} {}

  template <class U>
  KOKKOS_FUNCTION Interval& operator=(const U& other);

  /// The same numbers from this provenance, which is not believed where it gives other bounds.
  KOKKOS_FUNCTION Interval traced(const Provenance& from) const {
    Interval result = *this;
    result.provenance = from;
    if constexpr (std::is_integral_v<Bound>)
      if (from.kind == Provenance::affine && !from.matches(lower, upper)) result.provenance = {};
    return result;
  }
  KOKKOS_FUNCTION bool is_constant() const { return provenance.kind == Provenance::constant; }
  KOKKOS_FUNCTION bool is_affine() const { return provenance.kind == Provenance::affine; }
  /// The provenance of what a function without a closed form makes of this.
  KOKKOS_FUNCTION Provenance constancy() const {
    return {is_constant() ? Provenance::constant : Provenance::varying};
  }

  KOKKOS_FUNCTION static Interval whole(Decisions* tape) {
    return {BoundOf<T>::lowest(), BoundOf<T>::highest(), tape, std::is_floating_point_v<T>};
  }

  /// The interval of an operation's result, from the results at its ends.
  KOKKOS_FUNCTION static Interval of_result(Bound low, Bound high, Decisions* tape, bool nan = false) {
    if constexpr (std::is_floating_point_v<T>) {
      if (low != low || high != high) return whole(tape);
      nan = nan || is_infinite(low) || is_infinite(high);
      // A product that overflows stays finite when it is contracted with the sum that follows.
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

  template <class U>
  requires std::is_arithmetic_v<U> KOKKOS_FUNCTION operator U() const {
    static_assert(
        detail::dependent_false<U>,
        "Tessera: inside a stage body a pixel value or a coordinate cannot become a plain number. Declare "
        "variables with `auto`, start a sum with `in.zero()`, and convert with `tessera::cast<T>(value)`.");
    return U();
  }

 private:
  KOKKOS_FUNCTION static constexpr bool is_infinite(Bound bound) {
    return bound == BoundOf<T>::lowest() || bound == BoundOf<T>::highest();
  }
  /// An ulp or two.
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

/// The bounds of `value` as those of a U.
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

/// `value`, a number or an interval, as an interval of U: C++ conversions, truncation included.
template <class U, class V>
KOKKOS_FUNCTION Interval<U> to_interval(const V& value) {
  if constexpr (!is_interval<V>) {
    return Interval<U>(static_cast<std::conditional_t<std::is_same_v<U, Coordinate>, int, U>>(value));
  } else if constexpr (std::is_same_v<U, number_of<V>>) {
    return value;
  } else {
    constexpr bool keeps_form = !std::is_floating_point_v<U> && !std::is_floating_point_v<number_of<V>>;
    return detail::converted<U>(value).traced(keeps_form || value.is_constant() ? value.provenance
                                                                                : Provenance());
  }
}

template <class T>
template <class U>
KOKKOS_FUNCTION Interval<T>& Interval<T>::operator=(const U& other) {
  const Interval<T> converted = to_interval<T>(other);
  lower = converted.lower;
  upper = converted.upper;
  maybe_nan = converted.maybe_nan;
  provenance = converted.provenance;
  if (converted.decisions) decisions = converted.decisions;
  return *this;
}

}  // namespace tessera
