// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Macros.hpp>
#include <type_traits>

namespace tessera {

/// Quotient rounded towards minus infinity, so that coordinates left of the origin follow the same pattern.
/// Without a branch, which would keep loops from being vectorised; by powers of two that the compiler knows a
/// shift.
template <class Integer>
KOKKOS_FORCEINLINE_FUNCTION constexpr Integer floor_divide(Integer a, Integer b) {
#ifndef __NVCC__  // which has no such function for devices
  if (__builtin_constant_p(b) && b > 0 && (b & (b - 1)) == 0) {
    Integer shift = 0;
    while ((Integer(1) << shift) < b) ++shift;
    return a >> shift;
  }
#endif
  const Integer remainder = a % b;
  return a / b - static_cast<Integer>(b > 0 ? remainder < 0 : remainder > 0);
}

/// A coordinate while a stage body executes: an int whose `/` and `%` floor. It converts to a plain number
/// only explicitly (`cast<float>(x)` in bodies, which inference understands too).
struct Coordinate {
  int value;

  KOKKOS_FORCEINLINE_FUNCTION constexpr Coordinate(int v) : value(v) {}
  /// `x * 0.5f` would cut the factor to 0: write `cast<float>(x) * 0.5f`, and `cast<int>` for an index.
  template <class T>
  requires std::is_floating_point_v<T> Coordinate(T)
  = delete;
  template <class T>
  requires std::is_arithmetic_v<T> KOKKOS_FORCEINLINE_FUNCTION constexpr explicit operator T() const {
    return static_cast<T>(value);
  }
};

KOKKOS_FORCEINLINE_FUNCTION constexpr Coordinate operator-(Coordinate a) { return {-a.value}; }
KOKKOS_FORCEINLINE_FUNCTION constexpr Coordinate operator+(Coordinate a, Coordinate b) {
  return {a.value + b.value};
}
KOKKOS_FORCEINLINE_FUNCTION constexpr Coordinate operator-(Coordinate a, Coordinate b) {
  return {a.value - b.value};
}
KOKKOS_FORCEINLINE_FUNCTION constexpr Coordinate operator*(Coordinate a, Coordinate b) {
  return {a.value * b.value};
}
KOKKOS_FORCEINLINE_FUNCTION constexpr Coordinate operator/(Coordinate a, Coordinate b) {
  return {floor_divide(a.value, b.value)};
}
KOKKOS_FORCEINLINE_FUNCTION constexpr Coordinate operator%(Coordinate a, Coordinate b) {
  return {a.value - b.value * floor_divide(a.value, b.value)};
}
KOKKOS_FORCEINLINE_FUNCTION constexpr bool operator<(Coordinate a, Coordinate b) { return a.value < b.value; }
KOKKOS_FORCEINLINE_FUNCTION constexpr bool operator>(Coordinate a, Coordinate b) { return a.value > b.value; }
KOKKOS_FORCEINLINE_FUNCTION constexpr bool operator<=(Coordinate a, Coordinate b) {
  return a.value <= b.value;
}
KOKKOS_FORCEINLINE_FUNCTION constexpr bool operator>=(Coordinate a, Coordinate b) {
  return a.value >= b.value;
}
KOKKOS_FORCEINLINE_FUNCTION constexpr bool operator==(Coordinate a, Coordinate b) {
  return a.value == b.value;
}
KOKKOS_FORCEINLINE_FUNCTION constexpr bool operator!=(Coordinate a, Coordinate b) {
  return a.value != b.value;
}

}  // namespace tessera
