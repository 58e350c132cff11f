// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/pipeline/inference/interval.hpp"

namespace tessera {

/// Whether A and B can be the operands of interval arithmetic: each is an interval or a number, and at least
/// one is an interval.
template <class A, class B>
concept IntervalOperands =
    (is_interval<A> && (is_interval<B> || is_number<B>)) || (is_number<A> && is_interval<B>);

namespace detail {

/// The two operands of an operation, converted to intervals of the type of the result.
template <class A, class B>
struct Operands {
  /// The number type of the result.
  using Result = arithmetic_result<A, B>;
  /// The type of the bounds of the result.
  using Bound = typename BoundOf<Result>::type;
  /// The left operand.
  Interval<Result> a;
  /// The right operand.
  Interval<Result> b;
  /// The tape of the left operand, or that of the right operand if the left one has none (see Decisions).
  Decisions* decisions;
  /// Whether either operand may be NaN.
  bool maybe_nan;

  KOKKOS_FUNCTION Operands(const A& left, const B& right)
      : a(to_interval<Result>(left)),
        b(to_interval<Result>(right)),
        decisions(a.decisions ? a.decisions : b.decisions),
        maybe_nan(a.maybe_nan || b.maybe_nan) {}

  /// Whether all four bounds of the operands are finite. Always `true` for integers.
  KOKKOS_FUNCTION bool finite() const {
    if constexpr (std::is_floating_point_v<Result>)
      return a.lower > BoundOf<Result>::lowest() && a.upper < BoundOf<Result>::highest() &&
             b.lower > BoundOf<Result>::lowest() && b.upper < BoundOf<Result>::highest();
    else
      return true;
  }
  /// Whether the bounds of the operands are so small that their sums, differences and products surely fit
  /// into 64 bits. Always `true` for floating types.
  KOKKOS_FUNCTION bool fits() const {
    if constexpr (std::is_floating_point_v<Result>) return true;
    const double a_most = greater(-static_cast<double>(a.lower), static_cast<double>(a.upper));
    const double b_most = greater(-static_cast<double>(b.lower), static_cast<double>(b.upper));
    const double limit = 4.0e18;
    return a_most < limit && b_most < limit && a_most * b_most < limit;
  }
  /// Returns the interval of a result, given its least value `low` and its greatest value `high` (see
  /// Interval::of_result).
  KOKKOS_FUNCTION Interval<Result> result(Bound low, Bound high) const {
    return Interval<Result>::of_result(low, high, decisions, maybe_nan);
  }
  /// Returns the interval of a result whose bounds are the least and the greatest of four numbers.
  KOKKOS_FUNCTION Interval<Result> hull_of(Bound p, Bound q, Bound r, Bound s) const {
    return result(lesser(lesser(p, q), lesser(r, s)), greater(greater(p, q), greater(r, s)));
  }
  /// Returns the interval of all values of the type of the result.
  KOKKOS_FUNCTION Interval<Result> whole() const { return Interval<Result>::whole(decisions); }

  /// Whether both operands are constant, so that their bounds do not depend on the box that the body
  /// computes.
  KOKKOS_FUNCTION bool are_constant() const { return a.is_constant() && b.is_constant(); }
  /// Returns the provenance of a result that is never affine: `constant` if both operands are constant, else
  /// `varying`.
  KOKKOS_FUNCTION Provenance common() const {
    return {are_constant() ? Provenance::constant : Provenance::varying};
  }
  /// Sets `depends_on_box` on the tape, unless both operands are constant (see Decisions). Every comparison
  /// of intervals calls this function.
  KOKKOS_FUNCTION void note_comparison() const {
    if (decisions && !are_constant()) decisions->depends_on_box = true;
  }
};

/// Returns the provenance of a + b.
template <class T>
KOKKOS_FUNCTION Provenance of_sum(const Interval<T>& a, const Interval<T>& b) {
  if (a.is_constant() && b.is_constant()) return {Provenance::constant};
  if constexpr (!std::is_floating_point_v<T>) {
    if (a.is_affine() && b.is_constant()) return shifted(a.provenance, b.lower, b.upper);
    if (a.is_constant() && b.is_affine()) return shifted(b.provenance, a.lower, a.upper);
    if (a.is_affine() && b.is_affine()) return added(a.provenance, b.provenance);
  }
  return {};
}

/// Returns the provenance of a - b.
template <class T>
KOKKOS_FUNCTION Provenance of_difference(const Interval<T>& a, const Interval<T>& b) {
  if (a.is_constant() && b.is_constant()) return {Provenance::constant};
  if constexpr (!std::is_floating_point_v<T>) {
    if (a.is_affine() && b.is_constant() && Provenance::fits(b.lower) && Provenance::fits(b.upper))
      return shifted(a.provenance, -b.upper, -b.lower);
    if (a.is_constant() && b.is_affine()) return shifted(negated(b.provenance), a.lower, a.upper);
    if (a.is_affine() && b.is_affine()) return added(a.provenance, negated(b.provenance));
  }
  return {};
}

/// Returns the provenance of a * b.
template <class T>
KOKKOS_FUNCTION Provenance of_product(const Interval<T>& a, const Interval<T>& b) {
  if (a.is_constant() && b.is_constant()) return {Provenance::constant};
  if constexpr (!std::is_floating_point_v<T>) {
    if (a.is_affine() && b.is_constant() && b.lower == b.upper) return scaled(a.provenance, b.lower);
    if (b.is_affine() && a.is_constant() && a.lower == a.upper) return scaled(b.provenance, a.lower);
  }
  return {};
}

/// Returns the provenance of a / b.
template <class T>
KOKKOS_FUNCTION Provenance of_quotient(const Interval<T>& a, const Interval<T>& b) {
  if (a.is_constant() && b.is_constant()) return {Provenance::constant};
  if constexpr (std::is_same_v<T, Coordinate>)
    if (a.is_affine() && b.is_constant() && b.lower == b.upper && b.lower != 0)
      return divided(a.provenance, b.lower);
  return {};
}

/// Returns a / b, where `a` and `b` are bounds of an Interval<Result>. The quotient of coordinates is rounded
/// down. The quotient of other integers is truncated.
template <class Result, class Bound>
KOKKOS_FUNCTION Bound divide(Bound a, Bound b) {
  if constexpr (std::is_same_v<Result, Coordinate>)
    return floor_divide(a, b);
  else
    return a / b;
}

/// Returns the interval of a % b, where `a` and `b` are the operands in `o`. The remainder of coordinates is
/// never negative. The remainder of other integers is that of C++. Unless `b` is a single positive number,
/// the result is the whole range.
template <class A, class B>
KOKKOS_FUNCTION auto remainder(const Operands<A, B>& o) {
  using Result = arithmetic_result<A, B>;
  if (o.b.lower != o.b.upper || o.b.lower <= 0 || BoundOf<Result>::is_open(o.b.upper)) return o.whole();
  const auto m = o.b.lower;
  if constexpr (std::is_same_v<Result, Coordinate>) {
    const auto low = floor_divide(o.a.lower, m);
    if (low == floor_divide(o.a.upper, m)) return o.result(o.a.lower - m * low, o.a.upper - m * low);
    return o.result(0, m - 1);
  } else {
    const bool same =
        o.a.lower >= 0 && o.a.lower / m == o.a.upper / m && !BoundOf<Result>::is_open(o.a.upper);
    if (same) return o.result(o.a.lower % m, o.a.upper % m);
    return o.result(o.a.lower < 0 ? -(m - 1) : 0, o.a.upper > 0 ? m - 1 : 0);
  }
}

}  // namespace detail

/// Returns the interval of a + b.
template <class A, class B>
requires IntervalOperands<A, B>
KOKKOS_FUNCTION auto operator+(A a, B b) {
  const detail::Operands<A, B> o(a, b);
  const auto sum = o.fits() ? o.result(o.a.lower + o.b.lower, o.a.upper + o.b.upper) : o.whole();
  return sum.traced(detail::of_sum(o.a, o.b));
}

/// Returns the interval of a - b.
template <class A, class B>
requires IntervalOperands<A, B>
KOKKOS_FUNCTION auto operator-(A a, B b) {
  const detail::Operands<A, B> o(a, b);
  const auto difference = o.fits() ? o.result(o.a.lower - o.b.upper, o.a.upper - o.b.lower) : o.whole();
  return difference.traced(detail::of_difference(o.a, o.b));
}

/// Returns the interval of -a.
template <class T>
KOKKOS_FUNCTION auto operator-(const Interval<T>& a) {
  using Zero = std::conditional_t<std::is_same_v<T, Coordinate>, int, T>;
  return Zero(0) - a;
}

/// Returns the interval of a * b.
template <class A, class B>
requires IntervalOperands<A, B>
KOKKOS_FUNCTION auto operator*(A a, B b) {
  const detail::Operands<A, B> o(a, b);
  if (!o.finite() || !o.fits()) return o.whole().traced(o.common());
  return o.hull_of(o.a.lower * o.b.lower, o.a.lower * o.b.upper, o.a.upper * o.b.lower, o.a.upper * o.b.upper)
      .traced(detail::of_product(o.a, o.b));
}

/// Returns the interval of a / b. The quotient of coordinates is rounded down. The quotient of other integers
/// is truncated. If `b` may be 0, the result is the whole range.
template <class A, class B>
requires IntervalOperands<A, B>
KOKKOS_FUNCTION auto operator/(A a, B b) {
  using Result = arithmetic_result<A, B>;
  const detail::Operands<A, B> o(a, b);
  if ((o.b.lower <= 0 && o.b.upper >= 0) || !o.finite() || !o.fits()) return o.whole().traced(o.common());
  return o
      .hull_of(detail::divide<Result>(o.a.lower, o.b.lower), detail::divide<Result>(o.a.lower, o.b.upper),
               detail::divide<Result>(o.a.upper, o.b.lower), detail::divide<Result>(o.a.upper, o.b.upper))
      .traced(detail::of_quotient(o.a, o.b));
}

/// Returns the interval of a % b. The remainder of coordinates is never negative. Unless `b` is a single
/// positive number, the result is the whole range.
template <class A, class B>
requires IntervalOperands<A, B>
KOKKOS_FUNCTION auto operator%(A a, B b) {
  const detail::Operands<A, B> o(a, b);
  return detail::remainder(o).traced(o.common());
}

namespace detail {

/// Assigns an interval to `a`. Some bodies declare a sum as a plain number, such as `float`, and add
/// intervals to it. They do not compile, and the conversion of the interval to a plain number says what to
/// write instead.
template <class A, class T>
KOKKOS_FUNCTION A& assign(A& a, const Interval<T>& value) {
  if constexpr (std::is_arithmetic_v<A>)
    return a = static_cast<A>(value);
  else
    return a = value;
}

}  // namespace detail

/// Assigns a + b to a. Does not compile if `a` is a plain number, which cannot hold an interval.
template <class A, class B>
requires IntervalOperands<A, B>
KOKKOS_FUNCTION A& operator+=(A& a, B b) {
  return detail::assign(a, a + b);
}
/// Assigns a - b to a. Does not compile if `a` is a plain number, which cannot hold an interval.
template <class A, class B>
requires IntervalOperands<A, B>
KOKKOS_FUNCTION A& operator-=(A& a, B b) {
  return detail::assign(a, a - b);
}
/// Assigns a * b to a. Does not compile if `a` is a plain number, which cannot hold an interval.
template <class A, class B>
requires IntervalOperands<A, B>
KOKKOS_FUNCTION A& operator*=(A& a, B b) {
  return detail::assign(a, a * b);
}
/// Assigns a / b to a. Does not compile if `a` is a plain number, which cannot hold an interval.
template <class A, class B>
requires IntervalOperands<A, B>
KOKKOS_FUNCTION A& operator/=(A& a, B b) {
  return detail::assign(a, a / b);
}

/// Returns the interval of a >> bits, for integers: the quotient by 2^bits, rounded down.
template <class T>
requires(std::is_integral_v<T>)
KOKKOS_FUNCTION auto operator>>(const Interval<T>& a, int bits) {
  using R = arithmetic_result<T, T>;
  const Interval<R> value = to_interval<R>(a);
  return Interval<R>::of_result(value.lower >> bits, value.upper >> bits, value.decisions)
      .traced(value.constancy());
}

/// Returns the interval of a << bits, for integers: the product with 2^bits. `bits` must be from 0 to 31.
template <class T>
requires(std::is_integral_v<T>)
KOKKOS_FUNCTION auto operator<<(const Interval<T>& a, int bits) {
  using R = arithmetic_result<T, T>;
  const auto factor = typename BoundOf<R>::type(1) << bits;
  const Interval<R> value = to_interval<R>(a);
  const detail::Operands<Interval<R>, Interval<R>> o(value, Interval<R>(static_cast<R>(factor)));
  if (factor > BoundOf<R>::highest() || !o.fits()) return o.whole().traced(value.constancy());
  return o.result(value.lower * factor, value.upper * factor).traced(value.constancy());
}

namespace detail {

/// Whether A and B can be the operands of bitwise operators: both are integers, and at least one is an
/// interval.
template <class A, class B>
concept BitwiseOperands =
    IntervalOperands<A, B> && std::is_integral_v<number_type<A>> && std::is_integral_v<number_type<B>>;

/// Returns the least number of the form 2^k - 1, with k of at least 0, that is not less than `bound`.
KOKKOS_FUNCTION constexpr std::int64_t all_bits(std::int64_t bound) {
  std::int64_t bits = 0;
  while (bits < bound) bits = 2 * bits + 1;
  return bits;
}

/// Returns the interval of a bitwise operation. It is the number `exact` if both operands are single numbers,
/// otherwise [low, high] if neither operand can be negative, and otherwise the whole range.
template <class A, class B>
KOKKOS_FUNCTION auto bitwise(const Operands<A, B>& o, std::int64_t exact, std::int64_t low,
                             std::int64_t high) {
  using Bounds = BoundOf<arithmetic_result<A, B>>;
  const bool is_open = Bounds::is_open(o.a.upper) || Bounds::is_open(o.b.upper);
  const bool are_known = o.a.lower == o.a.upper && o.b.lower == o.b.upper && !is_open;
  if (are_known) return o.result(exact, exact).traced(o.common());
  if (o.a.lower < 0 || o.b.lower < 0 || is_open) return o.whole().traced(o.common());
  return o.result(low, high).traced(o.common());
}

}  // namespace detail

/// Returns the interval of a & b.
template <class A, class B>
requires detail::BitwiseOperands<A, B>
KOKKOS_FUNCTION auto operator&(A a, B b) {
  const detail::Operands<A, B> o(a, b);
  return detail::bitwise(o, o.a.lower & o.b.lower, 0, detail::lesser(o.a.upper, o.b.upper));
}
/// Returns the interval of a | b.
template <class A, class B>
requires detail::BitwiseOperands<A, B>
KOKKOS_FUNCTION auto operator|(A a, B b) {
  const detail::Operands<A, B> o(a, b);
  return detail::bitwise(o, o.a.lower | o.b.lower, detail::greater(o.a.lower, o.b.lower),
                         detail::all_bits(detail::greater(o.a.upper, o.b.upper)));
}
/// Returns the interval of a ^ b.
template <class A, class B>
requires detail::BitwiseOperands<A, B>
KOKKOS_FUNCTION auto operator^(A a, B b) {
  const detail::Operands<A, B> o(a, b);
  return detail::bitwise(o, o.a.lower ^ o.b.lower, 0,
                         detail::all_bits(detail::greater(o.a.upper, o.b.upper)));
}
/// Returns the interval of ~a, for integers.
template <class T>
requires(std::is_integral_v<T>)
KOKKOS_FUNCTION auto operator~(const Interval<T>& a) {
  using R = arithmetic_result<T, T>;
  const Interval<R> value = to_interval<R>(a);
  if constexpr (std::is_signed_v<R>)
    return Interval<R>::of_result(-1 - value.upper, -1 - value.lower, value.decisions)
        .traced(value.constancy());
  else
    return Interval<R>::whole(value.decisions).traced(value.constancy());
}

/// Returns whether a < b holds for all values of the operands, for none of them, or only for some (see
/// Truth).
template <class A, class B>
requires IntervalOperands<A, B>
KOKKOS_FUNCTION Truth operator<(A a, B b) {
  const detail::Operands<A, B> o(a, b);
  o.note_comparison();
  if (o.maybe_nan) return {Truth::either, o.decisions};
  if (o.a.upper < o.b.lower) return {Truth::yes, o.decisions};
  const bool no = o.a.lower >= o.b.upper && !BoundOf<arithmetic_result<A, B>>::is_open(o.b.upper);
  return {no ? Truth::no : Truth::either, o.decisions};
}
/// Returns the Truth of a > b.
template <class A, class B>
requires IntervalOperands<A, B>
KOKKOS_FUNCTION Truth operator>(A a, B b) {
  return b < a;
}
/// Returns the Truth of a <= b.
template <class A, class B>
requires IntervalOperands<A, B>
KOKKOS_FUNCTION Truth operator<=(A a, B b) {
  return !(b < a);  // an undecided result stays undecided, so that NaN is covered
}
/// Returns the Truth of a >= b.
template <class A, class B>
requires IntervalOperands<A, B>
KOKKOS_FUNCTION Truth operator>=(A a, B b) {
  return !(a < b);
}
/// Returns the Truth of a == b.
template <class A, class B>
requires IntervalOperands<A, B>
KOKKOS_FUNCTION Truth operator==(A a, B b) {
  const detail::Operands<A, B> o(a, b);
  o.note_comparison();
  if (o.maybe_nan) return {Truth::either, o.decisions};
  if (o.a.upper < o.b.lower || o.b.upper < o.a.lower) return {Truth::no, o.decisions};
  const bool same = o.a.lower == o.a.upper && o.b.lower == o.b.upper &&
                    !BoundOf<arithmetic_result<A, B>>::is_open(o.a.upper);
  return {same ? Truth::yes : Truth::either, o.decisions};
}
/// Returns the Truth of a != b.
template <class A, class B>
requires IntervalOperands<A, B>
KOKKOS_FUNCTION Truth operator!=(A a, B b) {
  return !(a == b);
}

}  // namespace tessera
