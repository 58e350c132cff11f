// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Macros.hpp>
#include <type_traits>

namespace tessera {

/// Returns a / b, rounded towards minus infinity, so that coordinates left of the origin follow the same
/// pattern as coordinates right of it. The compiled function has no branch, because a branch would prevent
/// the vectorisation of loops. If `b` is a power of two whose value the compiler knows, the division becomes
/// a shift.
template <class Integer>
KOKKOS_FORCEINLINE_FUNCTION constexpr Integer floor_divide(Integer a, Integer b) {
#ifndef __NVCC__
  // nvcc does not offer __builtin_constant_p for devices.
  if (__builtin_constant_p(b) && b > 0 && (b & (b - 1)) == 0) {
    Integer shift = 0;
    while ((Integer(1) << shift) < b) ++shift;
    return a >> shift;
  }
#endif
  const Integer remainder = a % b;
  return a / b - static_cast<Integer>(b > 0 ? remainder < 0 : remainder > 0);
}

/// The type of coordinates while a stage body computes a point: an int whose `/` and `%` round towards minus
/// infinity. A Coordinate converts to a plain number only explicitly. In a body, write `cast<float>(x)` for
/// this, which also works during inference.
struct Coordinate {
  /// The coordinate as a plain number.
  int value;

  /// Makes a coordinate from an integer.
  KOKKOS_FORCEINLINE_FUNCTION constexpr Coordinate(int v) : value(v) {}
  /// Does not compile, because in `x * 0.5f` the factor would be truncated to 0. Write
  /// `cast<float>(x) * 0.5f` instead. To use a floating-point number as an index, convert it with
  /// `cast<int>`.
  template <class T>
  requires std::is_floating_point_v<T>
  Coordinate(T) = delete;
  /// Converts the coordinate to a plain number of type T.
  template <class T>
  requires std::is_arithmetic_v<T>
  KOKKOS_FORCEINLINE_FUNCTION constexpr explicit operator T() const {
    return static_cast<T>(value);
  }
};

/// Returns the coordinate with the opposite sign.
KOKKOS_FORCEINLINE_FUNCTION constexpr Coordinate operator-(Coordinate a) { return {-a.value}; }
/// Returns the sum of two coordinates.
KOKKOS_FORCEINLINE_FUNCTION constexpr Coordinate operator+(Coordinate a, Coordinate b) {
  return {a.value + b.value};
}
/// Returns the difference of two coordinates.
KOKKOS_FORCEINLINE_FUNCTION constexpr Coordinate operator-(Coordinate a, Coordinate b) {
  return {a.value - b.value};
}
/// Returns the product of two coordinates.
KOKKOS_FORCEINLINE_FUNCTION constexpr Coordinate operator*(Coordinate a, Coordinate b) {
  return {a.value * b.value};
}
/// Returns the quotient of two coordinates, rounded towards minus infinity.
KOKKOS_FORCEINLINE_FUNCTION constexpr Coordinate operator/(Coordinate a, Coordinate b) {
  return {floor_divide(a.value, b.value)};
}
/// Returns the remainder of the division `a / b`, which rounds towards minus infinity. If the remainder is
/// not 0, it has the sign of `b`.
KOKKOS_FORCEINLINE_FUNCTION constexpr Coordinate operator%(Coordinate a, Coordinate b) {
  return {a.value - b.value * floor_divide(a.value, b.value)};
}
/// Returns true when `a` is less than `b`.
KOKKOS_FORCEINLINE_FUNCTION constexpr bool operator<(Coordinate a, Coordinate b) { return a.value < b.value; }
/// Returns true when `a` is greater than `b`.
KOKKOS_FORCEINLINE_FUNCTION constexpr bool operator>(Coordinate a, Coordinate b) { return a.value > b.value; }
/// Returns true when `a` is less than or equal to `b`.
KOKKOS_FORCEINLINE_FUNCTION constexpr bool operator<=(Coordinate a, Coordinate b) {
  return a.value <= b.value;
}
/// Returns true when `a` is greater than or equal to `b`.
KOKKOS_FORCEINLINE_FUNCTION constexpr bool operator>=(Coordinate a, Coordinate b) {
  return a.value >= b.value;
}
/// Returns true when `a` and `b` are equal.
KOKKOS_FORCEINLINE_FUNCTION constexpr bool operator==(Coordinate a, Coordinate b) {
  return a.value == b.value;
}
/// Returns true when `a` and `b` are not equal.
KOKKOS_FORCEINLINE_FUNCTION constexpr bool operator!=(Coordinate a, Coordinate b) {
  return a.value != b.value;
}

}  // namespace tessera
