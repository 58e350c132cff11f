// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "tessera/view/instruction_sets.hpp"

namespace kmeans {

/// Whether the instructions that are chosen for vectors of `bytes` bytes multiply and add with one rounding.
template <int bytes>
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
inline constexpr bool has_fused_products = true;
#else
inline constexpr bool has_fused_products = tessera::detail::chooses_instructions&& bytes > 16;
#endif

/// Vectors of `bytes` bytes, and what is computed with them. A vector whose numbers all are x is written as
/// x - Numbers{}, which needs no subtraction. Compilers keep the sum x + 0, as it is not x if x is -0.
template <class T, int bytes>
struct Vectors {
  using Integer = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  typedef T Numbers __attribute__((vector_size(bytes)));
  typedef Integer Labels __attribute__((vector_size(bytes)));
  static constexpr int lanes = bytes / static_cast<int>(sizeof(T));

  /// Takes the numbers of a vector from memory, of whatever type.
  template <class In>
  [[gnu::always_inline]] static void load(const In* from, Numbers& to) {
    if constexpr (std::is_same_v<In, T>) {
      std::memcpy(&to, from, sizeof to);
    } else {
      for (int i = 0; i < lanes; ++i) to[i] = static_cast<T>(from[i]);
    }
  }
  /// Returns a bit for each number of `a` that is not greater than that of `b`, from the lowest bit on.
  [[gnu::always_inline]] static std::uint32_t not_greater(const Numbers& a, const Numbers& b) {
#if defined(TESSERA_X86_HOST) && !defined(__clang__) && !defined(__CUDACC__)
    // The compiler does not find these instructions for the loop below. 18 means 'less or equal'.
    if constexpr (bytes == 64 && sizeof(T) == 4)
      return __builtin_ia32_cmpps512_mask(a, b, 18, std::uint16_t(0xffff), 4);
    else if constexpr (bytes == 64)
      return __builtin_ia32_cmppd512_mask(a, b, 18, std::uint8_t(0xff), 4);
    else if constexpr (bytes == 32 && sizeof(T) == 4)
      return static_cast<std::uint32_t>(__builtin_ia32_movmskps256((Numbers)(a <= b)));
    else if constexpr (bytes == 32)
      return static_cast<std::uint32_t>(__builtin_ia32_movmskpd256((Numbers)(a <= b)));
#endif
    std::uint32_t bits = 0;
    for (int i = 0; i < lanes; ++i) bits |= a[i] <= b[i] ? 1U << i : 0U;
    return bits;
  }
  /// Adds a * b to `sum`, and rounds once. Files that call this are compiled with -ffp-contract=fast, so that
  /// the product and the sum are one instruction wherever the processor has such an instruction for vectors.
  [[gnu::always_inline]] static void add_product(Numbers& sum, const Numbers& a, const Numbers& b) {
    if constexpr (has_fused_products<bytes>) {
      sum = a * b + sum;
    } else {
      Numbers result;
      for (int i = 0; i < lanes; ++i) result[i] = std::fma(a[i], b[i], sum[i]);
      sum = result;
    }
  }
};

}  // namespace kmeans
