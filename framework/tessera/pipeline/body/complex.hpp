// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/pipeline/body/functions.hpp"
#include "tessera/pipeline/inference/complex_interval.hpp"

// Functions of complex numbers for stage bodies. A body reads complex numbers of the type Kokkos::complex<T>,
// and intervals of them during inference. Besides these functions, bodies may use +, - and *, and / if they
// need it, also with real operands.

namespace tessera {

/// Returns the real part.
template <ComplexOperand V>
KOKKOS_FORCEINLINE_FUNCTION auto real(V value) {
  return value.real();
}
/// Returns the imaginary part.
template <ComplexOperand V>
KOKKOS_FORCEINLINE_FUNCTION auto imag(V value) {
  return value.imag();
}
/// Returns the complex number with these two parts, which are float or double.
template <class R, class I>
KOKKOS_FORCEINLINE_FUNCTION auto complex(R real, I imag) {
  if constexpr (is_interval<R> || is_interval<I>) {
    return detail::rectangle(real, imag);
  } else {
    using T = arithmetic_result<R, I>;
    static_assert(std::is_floating_point_v<T>, "Tessera: the parts of complex numbers are float or double");
    return Kokkos::complex<T>(static_cast<T>(real), static_cast<T>(imag));
  }
}
/// Returns the complex number with the same real part and the opposite imaginary part.
template <ComplexOperand V>
KOKKOS_FORCEINLINE_FUNCTION auto conj(V value) {
  return tessera::complex(value.real(), -value.imag());
}
/// Returns the square of the absolute value.
template <ComplexOperand V>
KOKKOS_FORCEINLINE_FUNCTION auto norm(V value) {
  return value.real() * value.real() + value.imag() * value.imag();
}
/// Returns the absolute value: the square root of `norm(value)`, which overflows where the squares do.
template <ComplexOperand V>
KOKKOS_FORCEINLINE_FUNCTION auto abs(V value) {
  return tessera::sqrt(tessera::norm(value));
}
/// Returns `a` if `condition` holds, else `b` (see select for real numbers).
template <class C, ComplexOperand A, ComplexOperand B>
KOKKOS_FORCEINLINE_FUNCTION auto select(C condition, A a, B b) {
  return tessera::complex(tessera::select(condition, a.real(), b.real()),
                          tessera::select(condition, a.imag(), b.imag()));
}

}  // namespace tessera
