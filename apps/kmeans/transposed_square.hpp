// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <utility>

#include "unrolled.hpp"

namespace kmeans {

/// As many vectors of `bytes` bytes as each of them has numbers: a square, whose rows are exchanged with its
/// columns in registers. In each step, halves of two vectors change places (J. O. Eklundh, "A fast computer
/// method for matrix transposing", 1972).
template <class T, int bytes>
struct TransposedSquare {
  typedef T Numbers __attribute__((vector_size(bytes)));
  /// The numbers of a vector.
  static constexpr int side = bytes / static_cast<int>(sizeof(T));

  Numbers rows[side];

  /// Exchanges rows and columns.
  [[gnu::always_inline]] void transpose() { steps<1>(); }
  /// Makes number i of the first row what `Join` makes of the numbers of row i: their sum or the least one of
  /// them. What the other rows hold afterwards is of no use.
  template <class Join, int distance = 1>
  [[gnu::always_inline]] void join_rows() {
    if constexpr (distance < side) {
      KMEANS_UNROLLED
      for (int i = 0; i < side; i += 2 * distance) {
        exchange<distance>(rows[i], rows[i + distance], std::make_index_sequence<std::size_t(side)>());
        Join::join(rows[i], rows[i + distance]);
      }
      join_rows<Join, 2 * distance>();
    }
  }

 private:
  template <int distance>
  [[gnu::always_inline]] void steps() {
    if constexpr (distance < side) {
      KMEANS_UNROLLED
      for (int i = 0; i < side; ++i)
        if ((i & distance) == 0)
          exchange<distance>(rows[i], rows[i + distance], std::make_index_sequence<std::size_t(side)>());
      steps<2 * distance>();
    }
  }
  template <int distance, std::size_t... lane>
  [[gnu::always_inline]] static void exchange(Numbers& above, Numbers& below, std::index_sequence<lane...>) {
    const Numbers first = above;
#ifdef __CUDACC__
    // This compiler does not pass packs on to the function below.
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
