// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Macros.hpp>
#include <type_traits>

namespace tessera {

/// Returns the quotient rounded towards minus infinity, so that coordinates left of the origin follow the
/// same pattern as those right of it. There is no branch, which would keep loops from being vectorised; a
/// division by a power of two that is known to the compiler is a shift.
template <class Integer>
KOKKOS_FORCEINLINE_FUNCTION constexpr Integer floor_divide(Integer a, Integer b) {
#ifndef __NVCC__
  // nvcc does not have this function for devices.
  if (__builtin_constant_p(b) && b > 0 && (b & (b - 1)) == 0) {
    Integer shift = 0;
    while ((Integer(1) << shift) < b) ++shift;
    return a >> shift;
  }
#endif
  const Integer remainder = a % b;
  return a / b - static_cast<Integer>(b > 0 ? remainder < 0 : remainder > 0);
}

/// A coordinate while a stage body executes: an int whose `/` and `%` round towards minus infinity. It
/// converts to a plain number only explicitly; in bodies write `cast<float>(x)`, which inference understands
/// too.
struct Coordinate {
  /// The coordinate as a plain number.
  int value;

  /// Makes a coordinate from an integer.
  KOKKOS_FORCEINLINE_FUNCTION constexpr Coordinate(int v) : value(v) {}
  /// Does not compile: `x * 0.5f` would truncate the factor to 0. Write `cast<float>(x) * 0.5f`, and
  /// `cast<int>` for an index.
  template <class T>
  requires std::is_floating_point_v<T> Coordinate(T)
  = delete;
  /// Converts to a plain number of type T.
  template <class T>
  requires std::is_arithmetic_v<T> KOKKOS_FORCEINLINE_FUNCTION constexpr explicit operator T() const {
    return static_cast<T>(value);
  }
};

/// The negative coordinate.
KOKKOS_FORCEINLINE_FUNCTION constexpr Coordinate operator-(Coordinate a) { return {-a.value}; }
/// The sum.
KOKKOS_FORCEINLINE_FUNCTION constexpr Coordinate operator+(Coordinate a, Coordinate b) {
  return {a.value + b.value};
}
/// The difference.
KOKKOS_FORCEINLINE_FUNCTION constexpr Coordinate operator-(Coordinate a, Coordinate b) {
  return {a.value - b.value};
}
/// The product.
KOKKOS_FORCEINLINE_FUNCTION constexpr Coordinate operator*(Coordinate a, Coordinate b) {
  return {a.value * b.value};
}
/// The quotient rounded towards minus infinity.
KOKKOS_FORCEINLINE_FUNCTION constexpr Coordinate operator/(Coordinate a, Coordinate b) {
  return {floor_divide(a.value, b.value)};
}
/// The remainder of the division that rounds towards minus infinity: it has the sign of `b`.
KOKKOS_FORCEINLINE_FUNCTION constexpr Coordinate operator%(Coordinate a, Coordinate b) {
  return {a.value - b.value * floor_divide(a.value, b.value)};
}
/// Compares the values.
KOKKOS_FORCEINLINE_FUNCTION constexpr bool operator<(Coordinate a, Coordinate b) { return a.value < b.value; }
/// Compares the values.
KOKKOS_FORCEINLINE_FUNCTION constexpr bool operator>(Coordinate a, Coordinate b) { return a.value > b.value; }
/// Compares the values.
KOKKOS_FORCEINLINE_FUNCTION constexpr bool operator<=(Coordinate a, Coordinate b) {
  return a.value <= b.value;
}
/// Compares the values.
KOKKOS_FORCEINLINE_FUNCTION constexpr bool operator>=(Coordinate a, Coordinate b) {
  return a.value >= b.value;
}
/// Compares the values.
KOKKOS_FORCEINLINE_FUNCTION constexpr bool operator==(Coordinate a, Coordinate b) {
  return a.value == b.value;
}
/// Compares the values.
KOKKOS_FORCEINLINE_FUNCTION constexpr bool operator!=(Coordinate a, Coordinate b) {
  return a.value != b.value;
}

}  // namespace tessera
