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

/// The type of a value of type T in a body during inference: ComplexInterval for complex numbers, otherwise
/// Interval.
template <class T>
using IntervalOf = typename detail::IntervalOver<T>::type;

/// A complex number or an interval of complex numbers.
template <class V>
concept ComplexOperand = ComplexNumber<V> || is_complex_interval<V>;

namespace detail {
template <class V>
concept AnyOperand = ComplexOperand<V> || is_interval<V> || is_number<V>;
}  // namespace detail

/// Whether A and B can be the operands of the arithmetic of complex intervals: each is real or complex, one
/// of them is complex, and one of them is an interval.
template <class A, class B>
concept ComplexIntervalOperands =
    detail::AnyOperand<A> && detail::AnyOperand<B> &&
    (ComplexOperand<A> || ComplexOperand<B>)&&(is_complex_interval<A> || is_interval<A> ||
                                               is_complex_interval<B> || is_interval<B>);

namespace detail {

/// Returns the real part of an operand.
template <class V>
KOKKOS_FUNCTION auto real_of(const V& value) {
  if constexpr (ComplexOperand<V>)
    return value.real();
  else
    return value;
}
/// Returns the imaginary part of an operand, which is the plain number 0 for a real one.
template <class V>
KOKKOS_FUNCTION auto imag_of(const V& value) {
  if constexpr (ComplexOperand<V>)
    return value.imag();
  else
    return number_type<V>(0);
}

/// Returns the rectangle with these parts, which may be plain numbers.
template <class R, class I>
KOKKOS_FUNCTION auto rectangle(const R& real, const I& imag) {
  using T = arithmetic_result<R, I>;
  static_assert(std::is_floating_point_v<T>, "Tessera: the parts of complex numbers are float or double");
  return ComplexInterval<T>(to_interval<T>(real), to_interval<T>(imag));
}

}  // namespace detail

/// Returns the rectangle of a + b.
template <class A, class B>
requires ComplexIntervalOperands<A, B>
KOKKOS_FUNCTION auto operator+(A a, B b) {
  using detail::real_of, detail::imag_of;
  return detail::rectangle(real_of(a) + real_of(b), imag_of(a) + imag_of(b));
}
/// Returns the rectangle of a - b.
template <class A, class B>
requires ComplexIntervalOperands<A, B>
KOKKOS_FUNCTION auto operator-(A a, B b) {
  using detail::real_of, detail::imag_of;
  return detail::rectangle(real_of(a) - real_of(b), imag_of(a) - imag_of(b));
}
/// Returns the rectangle of -a.
template <class T>
KOKKOS_FUNCTION auto operator-(const ComplexInterval<T>& a) {
  return ComplexInterval<T>(-a.real(), -a.imag());
}
/// Returns the rectangle of a * b.
template <class A, class B>
requires ComplexIntervalOperands<A, B>
KOKKOS_FUNCTION auto operator*(A a, B b) {
  using detail::real_of, detail::imag_of;
  return detail::rectangle(real_of(a) * real_of(b) - imag_of(a) * imag_of(b),
                           real_of(a) * imag_of(b) + imag_of(a) * real_of(b));
}
/// Returns the rectangle of a / b. If `b` is complex, all complex numbers are returned, because libraries
/// round differently and overflow in different places.
template <class A, class B>
requires ComplexIntervalOperands<A, B>
KOKKOS_FUNCTION auto operator/(A a, B b) {
  if constexpr (ComplexOperand<B>) {
    const auto parts = a + b;
    const detail::Operands o(parts.real(), parts.imag());
    return decltype(a + b)::whole(o.decisions).traced(o.common());
  } else {
    return detail::rectangle(detail::real_of(a) / b, detail::imag_of(a) / b);
  }
}
/// Assigns a + b to a.
template <class T, class B>
requires ComplexIntervalOperands<ComplexInterval<T>, B>
KOKKOS_FUNCTION ComplexInterval<T>& operator+=(ComplexInterval<T>& a, B b) {
  return a = a + b;
}
/// Assigns a - b to a.
template <class T, class B>
requires ComplexIntervalOperands<ComplexInterval<T>, B>
KOKKOS_FUNCTION ComplexInterval<T>& operator-=(ComplexInterval<T>& a, B b) {
  return a = a - b;
}
/// Assigns a * b to a.
template <class T, class B>
requires ComplexIntervalOperands<ComplexInterval<T>, B>
KOKKOS_FUNCTION ComplexInterval<T>& operator*=(ComplexInterval<T>& a, B b) {
  return a = a * b;
}

}  // namespace tessera
