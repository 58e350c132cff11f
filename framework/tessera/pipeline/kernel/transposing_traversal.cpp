// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/kernel/transposing_traversal.hpp"

#include <utility>

#include "tessera/domain/error.hpp"

namespace tessera::detail {
namespace {

/// A vector register of the width that all processors have.
template <class T>
struct Vector {
  static constexpr int lanes = 16 / static_cast<int>(sizeof(T));
  typedef T type __attribute__((vector_size(16), may_alias, aligned(1)));
};

/// The lower or upper halves of two vectors, alternating: a shuffle to compilers. Of the built-in function
/// for it nvcc loses the pack of lanes.
template <class T, int Half, int... Lane>
typename Vector<T>::type alternate(typename Vector<T>::type a, typename Vector<T>::type b,
                                   std::integer_sequence<int, Lane...>) {
  constexpr int first = Half * Vector<T>::lanes / 2;
  return typename Vector<T>::type{(Lane % 2 == 0 ? a[first + Lane / 2] : b[first + Lane / 2])...};
}

/// Turns a square of as many elements as a vector has lanes: each of log2(lanes) perfect shuffles of its rows
/// moves one bit of the row's number to the column's.
template <class T>
[[gnu::always_inline]] inline void turn_square(const T* from, std::ptrdiff_t from_stride, T* to,
                                               std::ptrdiff_t to_stride) {
  using V = typename Vector<T>::type;
  constexpr int lanes = Vector<T>::lanes;
  constexpr auto all = std::make_integer_sequence<int, lanes>{};
  V rows[lanes], turned[lanes];
  for (int i = 0; i < lanes; ++i) rows[i] = *reinterpret_cast<const V*>(from + i * from_stride);
  for (int step = 1; step < lanes; step *= 2) {
    for (int i = 0; i < lanes / 2; ++i) {
      turned[2 * i] = alternate<T, 0>(rows[i], rows[i + lanes / 2], all);
      turned[2 * i + 1] = alternate<T, 1>(rows[i], rows[i + lanes / 2], all);
    }
    for (int i = 0; i < lanes; ++i) rows[i] = turned[i];
  }
  for (int i = 0; i < lanes; ++i) *reinterpret_cast<V*>(to + i * to_stride) = rows[i];
}

template <class T>
void turn(const void* block, void* result, std::ptrdiff_t stride) {
  constexpr int side = turned_side<T>, lanes = Vector<T>::lanes;
  const T* const from = static_cast<const T*>(block);
  T* const to = static_cast<T*>(result);
  // Whole rows of the result one after the other.
  for (int y = 0; y < side; y += lanes)
    for (int x = 0; x < side; x += lanes)
      turn_square<T>(from + x * side + y, side, to + y * stride + x, stride);
}

}  // namespace

void turn_block(std::size_t element_size, const void* block, void* result, std::ptrdiff_t stride) {
  switch (element_size) {
    case 1:
      return turn<std::uint8_t>(block, result, stride);
    case 2:
      return turn<std::uint16_t>(block, result, stride);
    case 4:
      return turn<std::uint32_t>(block, result, stride);
    case 8:
      return turn<std::uint64_t>(block, result, stride);
    default:
      throw InternalError("blocks of elements of this size cannot be turned");
  }
}

}  // namespace tessera::detail
