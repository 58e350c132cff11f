// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/domain/element_type.hpp"
#include "tessera/pipeline/inference/interval_arithmetic.hpp"

namespace tessera {

/// All complex values that a number may take while a stage body runs on a box of points: a rectangle, which
/// is the product of an interval of real parts and an interval of imaginary parts. A body that reads an array
/// of complex numbers gets such rectangles during inference. `T` is the type of the parts.
template <class T>
class ComplexInterval {
 public:
  /// Makes the rectangle whose parts both lie in [low, high].
  KOKKOS_FUNCTION ComplexInterval(T low, T high, Decisions* decisions)
      : real_(low, high, decisions), imag_(low, high, decisions) {}
  /// Makes the rectangle of these real and imaginary parts.
  KOKKOS_FUNCTION ComplexInterval(const Interval<T>& real, const Interval<T>& imag)
      : real_(real), imag_(imag) {}

  /// Assigns a complex number or rectangle, or real values, whose imaginary part is 0.
  template <class V>
  KOKKOS_FUNCTION ComplexInterval& operator=(const V& value) {
    if constexpr (requires { value.real(); }) {
      real_ = value.real();
      imag_ = value.imag();
    } else {
      real_ = value;
      imag_ = T(0);
    }
    return *this;
  }

  /// Returns the rectangle of all complex numbers, whose parts may also be NaN.
  KOKKOS_FUNCTION static ComplexInterval whole(Decisions* decisions) {
    return {Interval<T>::whole(decisions), Interval<T>::whole(decisions)};
  }
  /// Returns this rectangle with the provenance `from` of both parts.
  KOKKOS_FUNCTION ComplexInterval traced(const Provenance& from) const {
    return {real_.traced(from), imag_.traced(from)};
  }
  /// The interval of the real parts.
  KOKKOS_FUNCTION const Interval<T>& real() const { return real_; }
  /// The interval of the imaginary parts.
  KOKKOS_FUNCTION const Interval<T>& imag() const { return imag_; }

 private:
  Interval<T> real_;
  Interval<T> imag_;
};

namespace detail {

/// The parts of an operand of complex arithmetic. A real operand has the imaginary part 0.
template <class V>
struct PartsOf {
  /// The real part.
  V real;
  /// The imaginary part, a plain number.
  number_type<V> imag;
  KOKKOS_FUNCTION explicit PartsOf(const V& value) : real(value), imag(0) {}
};
template <class T>
struct PartsOf<ComplexInterval<T>> {
  Interval<T> real;
  Interval<T> imag;
  KOKKOS_FUNCTION explicit PartsOf(const ComplexInterval<T>& value)
      : real(value.real()), imag(value.imag()) {}
};
template <ComplexNumber V>
struct PartsOf<V> {
  typename V::value_type real;
  typename V::value_type imag;
  KOKKOS_FUNCTION explicit PartsOf(const V& value) : real(value.real()), imag(value.imag()) {}
};

template <class T>
struct IsComplexInterval : std::false_type {};
template <class T>
struct IsComplexInterval<ComplexInterval<T>> : std::true_type {};
template <class T>
struct IntervalOver {
  using type = Interval<T>;
};
template <ComplexNumber T>
struct IntervalOver<T> {
  using type = ComplexInterval<typename T::value_type>;
};

}  // namespace detail

/// Whether T is a ComplexInterval, ignoring references and const.
template <class T>
inline constexpr bool is_complex_interval = detail::IsComplexInterval<std::remove_cvref_t<T>>::value;

/// What a body gets during inference for a value of type T: ComplexInterval for complex numbers, otherwise
/// Interval.
template <class T>
using IntervalOf = typename detail::IntervalOver<T>::type;

/// Whether A and B can be the operands of the arithmetic of complex intervals: each is real or complex, one
/// of them is complex, and one of them is an interval.
template <class A, class B>
concept ComplexIntervalOperands = (is_complex_interval<A> || is_interval<A> || ComplexNumber<A> ||
                                   is_number<A>)&&(is_complex_interval<B> || is_interval<B> ||
                                                   ComplexNumber<B> ||
                                                   is_number<B>)&&(is_complex_interval<A> ||
                                                                   is_complex_interval<B> ||
                                                                   (ComplexNumber<A> && is_interval<B>) ||
                                                                   (is_interval<A> && ComplexNumber<B>));

namespace detail {

/// Returns the rectangle with these parts, each of which may be a plain number.
template <class R, class I>
KOKKOS_FUNCTION auto rectangle(const R& real, const I& imag) {
  using T = arithmetic_result<R, I>;
  static_assert(std::is_floating_point_v<T>, "Tessera: the parts of complex numbers are float or double");
  return ComplexInterval<T>(to_interval<T>(real), to_interval<T>(imag));
}

}  // namespace detail

/// Returns the rectangle of a + b.
template <class A, class B>
requires ComplexIntervalOperands<A, B> KOKKOS_FUNCTION auto operator+(A a, B b) {
  const detail::PartsOf<A> left(a);
  const detail::PartsOf<B> right(b);
  return detail::rectangle(left.real + right.real, left.imag + right.imag);
}
/// Returns the rectangle of a - b.
template <class A, class B>
requires ComplexIntervalOperands<A, B> KOKKOS_FUNCTION auto operator-(A a, B b) {
  const detail::PartsOf<A> left(a);
  const detail::PartsOf<B> right(b);
  return detail::rectangle(left.real - right.real, left.imag - right.imag);
}
/// Returns the rectangle of -a.
template <class T>
KOKKOS_FUNCTION auto operator-(const ComplexInterval<T>& a) {
  return ComplexInterval<T>(-a.real(), -a.imag());
}
/// Returns the rectangle of a * b.
template <class A, class B>
requires ComplexIntervalOperands<A, B> KOKKOS_FUNCTION auto operator*(A a, B b) {
  const detail::PartsOf<A> left(a);
  const detail::PartsOf<B> right(b);
  return detail::rectangle(left.real * right.real - left.imag * right.imag,
                           left.real * right.imag + left.imag * right.real);
}
/// Returns the rectangle of a / b. If `b` is complex, all complex numbers are returned, because the ways in
/// which libraries divide differ in rounding and overflow.
template <class A, class B>
requires ComplexIntervalOperands<A, B> KOKKOS_FUNCTION auto operator/(A a, B b) {
  const detail::PartsOf<A> left(a);
  const detail::PartsOf<B> right(b);
  if constexpr (is_complex_interval<B> || ComplexNumber<B>) {
    auto parts = detail::rectangle(left.real + right.real, left.imag + right.imag);
    using Whole = decltype(parts);
    Decisions* const tape = parts.real().decisions ? parts.real().decisions : parts.imag().decisions;
    const bool constant = parts.real().is_constant() && parts.imag().is_constant();
    return Whole::whole(tape).traced({constant ? Provenance::constant : Provenance::varying});
  } else {
    return detail::rectangle(left.real / right.real, left.imag / right.real);
  }
}
/// Assigns a + b to a.
template <class T, class B>
requires ComplexIntervalOperands<ComplexInterval<T>, B> KOKKOS_FUNCTION ComplexInterval<T>
&operator+=(ComplexInterval<T>& a, B b) { return a = a + b; }
/// Assigns a - b to a.
template <class T, class B>
requires ComplexIntervalOperands<ComplexInterval<T>, B> KOKKOS_FUNCTION ComplexInterval<T>
&operator-=(ComplexInterval<T>& a, B b) { return a = a - b; }
/// Assigns a * b to a.
template <class T, class B>
requires ComplexIntervalOperands<ComplexInterval<T>, B> KOKKOS_FUNCTION ComplexInterval<T>
&operator*=(ComplexInterval<T>& a, B b) { return a = a * b; }

}  // namespace tessera
