// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "tessera/view/instruction_sets.hpp"

// KMEANS_UNROLLED comes before a loop with a small constant number of iterations: the arrays that it indexes
// become registers. Nvcc passes the pragma on to GCC, but warns that it does not know it itself.
#ifdef __clang__
#define KMEANS_UNROLLED _Pragma("unroll")
#elif defined(__CUDACC__)
#define KMEANS_UNROLLED                                                                   \
  _Pragma("nv_diagnostic push") _Pragma("nv_diag_suppress 1675") _Pragma("GCC unroll 16") \
      _Pragma("nv_diagnostic pop")
#else
#define KMEANS_UNROLLED _Pragma("GCC unroll 16")
#endif

namespace kmeans {

/// Whether the instructions that are chosen for vectors of `bytes` bytes multiply and add with one rounding.
template <int bytes>
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
inline constexpr bool has_fused_products = true;
#else
inline constexpr bool has_fused_products = tessera::detail::chooses_instructions && bytes > 16;
#endif

/// Vectors of `bytes` bytes, and what is computed with them. A vector whose numbers all are x is written as
/// x - Numbers{}, which needs no subtraction. Compilers keep the sum x + 0, as it is not x if x is -0.
template <class T, int bytes>
struct Vectors {
  using Integer = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  typedef T Numbers __attribute__((vector_size(bytes)));
  typedef Integer Labels __attribute__((vector_size(bytes)));
  static constexpr int lanes = bytes / static_cast<int>(sizeof(T));

  /// Reads the numbers of a vector from memory, where they may have another type.
  template <class In>
  [[gnu::always_inline]] static void load(const In* from, Numbers& to) {
    if constexpr (std::is_same_v<In, T>) {
      std::memcpy(&to, from, sizeof to);
    } else {
      for (int i = 0; i < lanes; ++i) to[i] = static_cast<T>(from[i]);
    }
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

/// A line of the caches. Numbers in an array of lines are aligned as vectors need it.
struct alignas(64) Line {
  std::byte bytes[64];
};

/// A square of numbers, whose rows are vectors of `bytes` bytes. Its rows and columns are exchanged in
/// registers: in each step, halves of two vectors change places (J. O. Eklundh, "A fast computer method for
/// matrix transposing", 1972).
template <class T, int bytes>
struct TransposedSquare {
  typedef T Numbers __attribute__((vector_size(bytes)));
  /// The number of rows, which is also the number of elements of a row.
  static constexpr int side = bytes / static_cast<int>(sizeof(T));

  Numbers rows[side];

  /// Exchanges rows and columns.
  template <int distance = 1>
  [[gnu::always_inline]] void transpose() {
    if constexpr (distance < side) {
      KMEANS_UNROLLED
      for (int i = 0; i < side; ++i)
        if ((i & distance) == 0)
          exchange<distance>(rows[i], rows[i + distance], std::make_index_sequence<std::size_t(side)>());
      transpose<2 * distance>();
    }
  }

 private:
  template <int distance, std::size_t... lane>
  [[gnu::always_inline]] static void exchange(Numbers& above, Numbers& below, std::index_sequence<lane...>) {
    const Numbers first = above;
#ifdef __CUDACC__
    // Nvcc does not pass parameter packs on to __builtin_shufflevector.
    for (int i = 0; i < side; ++i)
      if ((i & distance) != 0) above[i] = below[i - distance];
    for (int i = 0; i < side; ++i)
      if ((i & distance) == 0) below[i] = first[i + distance];
#else
    constexpr std::size_t d = distance;
    above = __builtin_shufflevector(above, below, ((lane & d) == 0 ? lane : std::size_t(side) + lane - d)...);
    below = __builtin_shufflevector(first, below, ((lane & d) == 0 ? lane + d : std::size_t(side) + lane)...);
#endif
  }
};

}  // namespace kmeans
