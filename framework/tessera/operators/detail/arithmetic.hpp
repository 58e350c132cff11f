// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <type_traits>

#include "tessera/pipeline/body/functions.hpp"

// Arithmetic of pixels, for the bodies of operators.

namespace tessera::operators::detail {

/// The least type in which sums and differences of two elements of T are exact, if T is an integer type;
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

/// Returns a floating-point number as an element of T. For integers it is rounded to the nearest, where
/// halves become the greater one, and limited to the range of T; NaN becomes 0.
template <class T, class V>
KOKKOS_FORCEINLINE_FUNCTION auto rounded(V value) {
  if constexpr (std::is_floating_point_v<T>) {
    return tessera::cast<T>(value);
  } else {
    using F = number_of<V>;
    return tessera::cast<T>(tessera::cast<std::int32_t>(clamp(value + F(0.5), F(0), F(highest<T>))));
  }
}

}  // namespace tessera::operators::detail
