// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/kernel/transposing_traversal.hpp"

#include <cstring>
#include <type_traits>
#include <utility>

#include "tessera/pipeline/kernel/non_temporal_stores.hpp"

#ifdef TESSERA_X86_HOST
#include <immintrin.h>
#endif

namespace tessera::detail {
namespace {

/// A vector type of 16 bytes, a width that all processors support.
template <class T>
struct Vector {
  static constexpr int lanes = 16 / static_cast<int>(sizeof(T));
  typedef T type __attribute__((vector_size(16), may_alias, aligned(1)));
};

/// Returns the alternating elements of the lower halves (`Half` is 0) or of the upper halves (`Half` is 1) of
/// two vectors. Compilers turn this into one shuffle instruction. The built-in function for shuffles is not
/// used, because nvcc does not expand the parameter pack `Lane` in its arguments.
template <class T, int Half, int... Lane>
typename Vector<T>::type alternate(typename Vector<T>::type a, typename Vector<T>::type b,
                                   std::integer_sequence<int, Lane...>) {
  constexpr int first = Half * Vector<T>::lanes / 2;
  return typename Vector<T>::type{(Lane % 2 == 0 ? a[first + Lane / 2] : b[first + Lane / 2])...};
}

/// Stores a vector. If `NonTemporal` is true, the address must be a multiple of 16, and the vector is written
/// to memory without passing through the caches if the processor supports this.
template <class T, bool NonTemporal>
[[gnu::always_inline]] inline void put(T* to, typename Vector<T>::type value) {
#ifdef TESSERA_X86_HOST
  if constexpr (NonTemporal)
    return _mm_stream_si128(reinterpret_cast<__m128i*>(to), reinterpret_cast<__m128i>(value));
#endif
  *reinterpret_cast<typename Vector<T>::type*>(to) = value;
}

/// Transposes a square of lanes x lanes elements by log2(lanes) perfect shuffles of its rows. Each shuffle
/// moves one bit of the row number of an element to its column number.
template <class T, bool NonTemporal>
[[gnu::always_inline]] inline void transpose_square(const T* from, std::ptrdiff_t from_stride, T* to,
                                                    std::ptrdiff_t to_stride) {
  using V = typename Vector<T>::type;
  constexpr int lanes = Vector<T>::lanes;
  constexpr auto all = std::make_integer_sequence<int, lanes>{};
  V rows[lanes], transposed[lanes];
  for (int i = 0; i < lanes; ++i) rows[i] = *reinterpret_cast<const V*>(from + i * from_stride);
  for (int step = 1; step < lanes; step *= 2) {
    for (int i = 0; i < lanes / 2; ++i) {
      transposed[2 * i] = alternate<T, 0>(rows[i], rows[i + lanes / 2], all);
      transposed[2 * i + 1] = alternate<T, 1>(rows[i], rows[i + lanes / 2], all);
    }
    for (int i = 0; i < lanes; ++i) rows[i] = transposed[i];
  }
  for (int i = 0; i < lanes; ++i) put<T, NonTemporal>(to + i * to_stride, rows[i]);
}

/// Writes the transpose of a block to `result`, whose rows are `stride` bytes apart.
template <class T, bool NonTemporal>
void transpose(const void* block, std::byte* result, std::ptrdiff_t stride) {
  call_flat_for_processor([block, result, stride] {
    constexpr int side = transposed_side<T>, lanes = Vector<T>::lanes;
    const T* const from = static_cast<const T*>(block);
    T* const to = reinterpret_cast<T*>(result);
    const std::ptrdiff_t elements = stride / static_cast<std::ptrdiff_t>(sizeof(T));
    // The squares beside each other in the result are written one after the other.
    for (int y = 0; y < side; y += lanes)
      for (int x = 0; x < side; x += lanes)
        transpose_square<T, NonTemporal>(from + x * side + y, side, to + y * elements + x, elements);
  });
}

/// Whether a number of bytes is a multiple of the size of a cache line.
bool is_line(std::intptr_t bytes) { return bytes % 64 == 0; }

/// Writes the transpose of a part of a block, or of a whole block whose rows do not begin at cache lines. The
/// block is transposed into a local array first.
template <class T>
[[gnu::noinline]] void store_rows(const void* block, std::byte* result, std::ptrdiff_t stride, int width,
                                  int height, bool non_temporal) {
  constexpr int side = transposed_side<T>, row = side * static_cast<int>(sizeof(T));
  alignas(64) std::byte transposed[side * row];
  transpose<T, false>(block, transposed, row);
  const std::size_t bytes = static_cast<std::size_t>(width) * sizeof(T);
  for (int k = 0; k < height; ++k) {
    if (non_temporal)
      store_non_temporal(result + k * stride, transposed + k * row, bytes);
    else
      std::memcpy(result + k * stride, transposed + k * row, bytes);
  }
}

/// The unsigned integer type of `Bytes` bytes.
template <std::size_t Bytes>
using Element =
    std::conditional_t<Bytes == 1, std::uint8_t,
                       std::conditional_t<Bytes == 2, std::uint16_t,
                                          std::conditional_t<Bytes == 4, std::uint32_t, std::uint64_t>>>;

}  // namespace

template <std::size_t Bytes>
void store_transposed(const void* block, std::byte* result, std::ptrdiff_t stride, int width, int height,
                      bool non_temporal) {
  using T = Element<Bytes>;
  constexpr int side = transposed_side<T>;
  if (width == side && height == side) {
    if (!non_temporal) return transpose<T, false>(block, result, stride);
    // Squares beside each other fill whole cache lines one after the other, so no local copy is needed.
    if (is_line(side * Bytes) && is_line(stride) && is_line(reinterpret_cast<std::intptr_t>(result)))
      return transpose<T, true>(block, result, stride);
  }
  store_rows<T>(block, result, stride, width, height, non_temporal);
}

template void store_transposed<1>(const void*, std::byte*, std::ptrdiff_t, int, int, bool);
template void store_transposed<2>(const void*, std::byte*, std::ptrdiff_t, int, int, bool);
template void store_transposed<4>(const void*, std::byte*, std::ptrdiff_t, int, int, bool);
template void store_transposed<8>(const void*, std::byte*, std::ptrdiff_t, int, int, bool);

}  // namespace tessera::detail
