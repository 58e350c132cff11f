// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "tessera/pipeline/body/functions.hpp"
#include "tessera/view/compat.hpp"

namespace tessera::operators::detail {

// Arithmetic of pixels, for the bodies of operators.

/// The least type that holds sums and differences of two elements of T exactly, if T is an integer type;
/// otherwise T. Narrow lanes are fast lanes.
template <class T>
using Lane = std::conditional_t<std::is_same_v<T, std::uint8_t>, std::int16_t,
                                std::conditional_t<std::is_same_v<T, std::uint16_t>, std::int32_t, T>>;

/// The greatest value of an image of T: that of the integer type, and 1 for floating-point numbers.
template <class T>
inline constexpr double white = std::is_floating_point_v<T> ? 1.0 : static_cast<double>(highest<T>);

/// Returns `value`, an element of T as a number of the type Lane<T>, within the range of T.
template <class T, class V>
KOKKOS_FORCEINLINE_FUNCTION auto saturated(V value) {
  if constexpr (std::is_floating_point_v<T>) {
    return tessera::cast<T>(value);
  } else {
    using L = Lane<T>;
    return tessera::cast<T>(clamp(tessera::cast<L>(value), L(0), L(highest<T>)));
  }
}

/// The type of the keys of elements of T: integers whose order is that of the elements.
template <class T>
using Key = std::conditional_t<std::is_floating_point_v<T>, std::int32_t, T>;

/// Returns the key of an element. NaN has the greatest key, and the key of -0 is less than that of +0.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION Key<T> key_of(T element) {
  if constexpr (std::is_floating_point_v<T>) {
    const auto bits = bit_cast<std::int32_t>(element);
    const std::int32_t ordered = bits ^ ((bits >> 31) & highest<std::int32_t>);
    return element != element ? highest<std::int32_t> : ordered;
  } else {
    return element;
  }
}

/// Returns the element with this key.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T element_of(Key<T> key) {
  if constexpr (std::is_floating_point_v<T>)
    return bit_cast<T>(key ^ ((key >> 31) & highest<std::int32_t>));
  else
    return key;
}

/// Returns the greater or the lesser of two keys.
template <bool Greatest, class K>
KOKKOS_FORCEINLINE_FUNCTION K better_key(K a, K b) {
  if constexpr (Greatest)
    return a > b ? a : b;
  else
    return a < b ? a : b;
}

/// A window around a point: all points that are at most `x` columns and `y` rows away.
struct Reach {
  int x = 1;
  int y = 1;

  /// Returns half of a window whose extents are odd.
  static Reach of(const std::array<int, 2>& window) { return {window[0] / 2, window[1] / 2}; }
  /// The points that the window has.
  KOKKOS_FUNCTION int count() const { return (2 * x + 1) * (2 * y + 1); }
  /// Returns the points that are read to compute `box`.
  Box around(const Box& box) const {
    return {{box[0].begin - x, box[0].end + x}, {box[1].begin - y, box[1].end + y}, box[2]};
  }
};

// Powers that compilers vectorise, and that have the same bits everywhere.

/// Returns the logarithm to the base 2 of a positive normal number, by the series of the inverse hyperbolic
/// tangent.
KOKKOS_FORCEINLINE_FUNCTION float log2_of(float value) {
  // The exponent is that of a mantissa between the roots of 1/2 and of 2.
  constexpr std::int32_t root_of_half = 0x3f3504f3;
  const auto bits = bit_cast<std::int32_t>(value) - root_of_half;
  const float whole = static_cast<float>(bits >> 23);
  const auto mantissa = bit_cast<float>((bits & 0x7fffff) + root_of_half);
  const float s = (mantissa - 1.0f) / (mantissa + 1.0f), square = s * s;
  const float sum =
      2.88539008f +
      square * (0.961796694f + square * (0.577078016f + square * (0.412198583f + square * 0.320598898f)));
  return whole + s * sum;
}

/// Returns 2 to the power of a number, which is limited to [-126, 127].
KOKKOS_FORCEINLINE_FUNCTION float exp2_of(float exponent) {
  const float y = exponent < -126.0f ? -126.0f : exponent > 127.0f ? 127.0f : exponent;
  const auto whole = static_cast<std::int32_t>(y + (y < 0.0f ? -0.5f : 0.5f));
  const float f = y - static_cast<float>(whole);
  // The Taylor series is written out, because compilers do not vectorise around an inner loop.
  float sum = 1.54035304e-4f + f * 1.52527338e-5f;
  sum = 1.33335581e-3f + f * sum;
  sum = 9.61812911e-3f + f * sum;
  sum = 5.55041087e-2f + f * sum;
  sum = 2.40226507e-1f + f * sum;
  sum = 6.93147181e-1f + f * sum;
  sum = 1.0f + f * sum;
  return sum * bit_cast<float>((whole + 127) << 23);
}

/// Returns the power of `value`, which counts as 1e-30 if it is less.
template <class V>
KOKKOS_FORCEINLINE_FUNCTION auto power(const V& value, float exponent) {
  const auto positive = max(value, 1e-30f);
  if constexpr (std::is_same_v<V, float>)
    return exp2_of(log2_of(positive) * exponent);
  else
    return exp(log(positive) * exponent);
}

/// Returns the cube root of a positive normal number. Newton's method for the reciprocal of the root begins
/// with a third of the exponent, and needs no division.
KOKKOS_FORCEINLINE_FUNCTION float cube_root_of(float value) {
  auto y = bit_cast<float>(0x54a24000 - bit_cast<std::int32_t>(value) / 3);
  const float third = value * (1.0f / 3);
  y = y * (4.0f / 3 - third * (y * y * y));
  y = y * (4.0f / 3 - third * (y * y * y));
  y = y * (4.0f / 3 - third * (y * y * y));
  return value * y * y;
}
/// Returns the cube root of `value`, which counts as 1e-30 if it is less.
template <class V>
KOKKOS_FORCEINLINE_FUNCTION auto cube_root(const V& value) {
  if constexpr (std::is_same_v<V, float>)
    return cube_root_of(max(value, 1e-30f));
  else
    return power(value, 1.0f / 3);
}

/// Returns `a` if the condition holds, and otherwise `b`. Both are computed. With `select`, compilers would
/// skip one computation by a branch, and would not vectorise the loop around it.
template <class C, class A, class B>
KOKKOS_FORCEINLINE_FUNCTION auto either(const C& condition, const A& a, const B& b) {
  if constexpr (std::is_same_v<C, bool> && std::is_same_v<A, float> && std::is_same_v<B, float>) {
    const std::int32_t mask = -static_cast<std::int32_t>(condition);
    return bit_cast<float>((bit_cast<std::int32_t>(a) & mask) | (bit_cast<std::int32_t>(b) & ~mask));
  } else {
    return select(condition, a, b);
  }
}

}  // namespace tessera::operators::detail
