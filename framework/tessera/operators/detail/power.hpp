// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <type_traits>

#include "tessera/pipeline/body/elementary.hpp"
#include "tessera/pipeline/body/functions.hpp"
#include "tessera/view/bit_cast.hpp"

// Powers that compilers vectorise, and that have the same bits everywhere.

namespace tessera::operators::detail {

/// Returns the logarithm to the base 2 of a positive normal number, by the series of the inverse hyperbolic
/// tangent.
KOKKOS_FORCEINLINE_FUNCTION float log2_of(float value) {
  // The exponent is that of a mantissa between the roots of 1/2 and of 2.
  constexpr std::int32_t root_of_half = 0x3f3504f3;
  const auto bits = bit_cast<std::int32_t>(value) - root_of_half;
  const float whole = static_cast<float>(bits >> 23);
  const auto mantissa = bit_cast<float>((bits & 0x7fffff) + root_of_half);
  const float s = (mantissa - 1.0f) / (mantissa + 1.0f), square = s * s;
  const float sum = 2.88539008f +
                    square * (0.961796694f + square * (0.577078016f + square * (0.412198583f + square * 0.320598898f)));
  return whole + s * sum;
}

/// Returns 2 to the power of a number, which is limited to [-126, 127].
KOKKOS_FORCEINLINE_FUNCTION float exp2_of(float exponent) {
  const float y = exponent < -126.0f ? -126.0f : exponent > 127.0f ? 127.0f : exponent;
  const auto whole = static_cast<std::int32_t>(y + (y < 0.0f ? -0.5f : 0.5f));
  const float f = y - static_cast<float>(whole);
  constexpr float terms[] = {1.52527338e-5f, 1.54035304e-4f, 1.33335581e-3f, 9.61812911e-3f,
                             5.55041087e-2f, 2.40226507e-1f, 6.93147181e-1f, 1.0f};
  float sum = terms[0];
  for (int i = 1; i < 8; ++i) sum = sum * f + terms[i];
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

}  // namespace tessera::operators::detail
