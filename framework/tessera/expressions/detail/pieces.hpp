// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "tessera/domain/element_type.hpp"
#include "tessera/expressions/detail/arithmetic.hpp"
#include "tessera/view/compat.hpp"
#include "tessera/view/vectorised.hpp"

namespace tessera::expressions::detail {

// Operations on pieces of rows. A piece may be written to where one of the arguments lies, but the pieces do
// not overlap in any other way.

/// Returns a result as an element of T, which is float, or an unsigned integer of at most 16 bits.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T to_element(float value) {
  if constexpr (std::is_floating_point_v<T>) {
    return value;
  } else {
    static_assert(std::is_unsigned_v<T> && sizeof(T) <= 2);
    constexpr float greatest = static_cast<float>(static_cast<T>(~T(0)));
    // The greatest float below a half, so that the sum is never rounded up to the next integer.
    constexpr float below_half = 0.49999997F;
    const float limited = tessera::clamp(value, 0.0F, greatest);
    return static_cast<T>(static_cast<std::int32_t>(limited + below_half));
  }
}

/// Converts `count` elements of a type to float.
[[gnu::always_inline]] inline void load_piece(ElementType type, const std::byte* from, float* to, int count) {
  with_element_type(
      type, [&]<class T>(std::type_identity<T>) __attribute__((always_inline)) {
        const T* const elements = reinterpret_cast<const T*>(from);
        TESSERA_VECTORISED
        for (int i = 0; i < count; ++i) to[i] = static_cast<float>(elements[i]);
      });
}

/// Sets `count` elements to `value`.
[[gnu::always_inline]] inline void fill_piece(float value, float* to, int count) {
  TESSERA_VECTORISED
  for (int i = 0; i < count; ++i) to[i] = value;
}

/// Computes the operation of A, an Arithmetic, and converts its results to elements of T.
template <class A, class T>
[[gnu::always_inline]] inline void compute_piece(const float* const* arguments, T* to, int count) {
  const float *const a = arguments[0], *const b = arguments[1], *const c = arguments[2],
                     *const d = arguments[3], *const e = arguments[4];
  TESSERA_VECTORISED
  for (int i = 0; i < count; ++i) to[i] = to_element<T>(A::compute(a[i], b[i], c[i], d[i], e[i]));
}

/// Converts `count` results to elements of T.
template <class T>
[[gnu::always_inline]] inline void store_piece(const float* from, T* to, int count) {
  TESSERA_VECTORISED
  for (int i = 0; i < count; ++i) to[i] = to_element<T>(from[i]);
}

}  // namespace tessera::expressions::detail
