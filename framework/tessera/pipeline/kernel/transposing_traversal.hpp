// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "tessera/domain/box.hpp"
#include "tessera/pipeline/body/pack.hpp"
#include "tessera/pipeline/kernel/flat.hpp"
#include "tessera/view/accessor.hpp"

namespace tessera::detail {

/// The number of points along each side of the blocks that are transposed: a cache line of elements, or 32 if
/// that is less.
template <class T>
inline constexpr int transposed_side = std::min<int>(32, 64 / static_cast<int>(sizeof(T)));

/// Writes the first `height` rows of the transpose of a dense block, and of each the first `width` elements,
/// to `result`. The block has transposed_side x transposed_side elements of `Bytes` bytes, and the rows of
/// the result lie `stride` bytes apart. With `non_temporal`, they are written past the caches.
template <std::size_t Bytes>
void store_transposed(const void* block, std::byte* result, std::ptrdiff_t stride, int width, int height,
                      bool non_temporal);
extern template void store_transposed<1>(const void*, std::byte*, std::ptrdiff_t, int, int, bool);
extern template void store_transposed<2>(const void*, std::byte*, std::ptrdiff_t, int, int, bool);
extern template void store_transposed<4>(const void*, std::byte*, std::ptrdiff_t, int, int, bool);
extern template void store_transposed<8>(const void*, std::byte*, std::ptrdiff_t, int, int, bool);

/// Computes up to transposed_side x transposed_side points from (x, y) on, column by column, because the
/// points that the body reads lie along its columns; the block is then transposed into the output.
template <class Bound, class T, int N, class... Outer>
[[gnu::always_inline]] inline void compute_transposed_block(const Bound& bound, const Accessor<T, N>& output,
                                                            bool non_temporal, int x, int y, int width,
                                                            int height, Outer... outer) {
  constexpr int side = transposed_side<T>;
  alignas(64) T block[side * side];
  const auto compute = [&](int columns, int rows) __attribute__((always_inline)) {
    for (int i = 0; i < columns; ++i) {
#pragma omp simd
      for (int k = 0; k < rows; ++k)
        block[i * side + k] =
            static_cast<T>(value_of<0>(bound(Coordinate(x + i), Coordinate(y + k), outer...)));
    }
  };
  if (width == side && height == side)
    compute(side, side);
  else
    compute(width, height);
  const auto row = [&](int k) {
    return reinterpret_cast<std::byte*>(&output(Coordinate(x), Coordinate(y + k), outer...));
  };
  store_transposed<sizeof(T)>(block, row(0), row(1) - row(0), width, height, non_temporal);
}

/// The width, in points, of the tiles whose blocks are transposed one after the other.
inline constexpr int transposed_tile_width = 64;
/// The height, in points, of these tiles: the points that they read lie in runs of 1 KiB, which processors
/// prefetch.
template <class T>
inline constexpr int transposed_tile_height = 1024 / static_cast<int>(sizeof(T));

/// Computes a box whose rows are columns of the input that the body reads.
template <int D, class Bound, class T, int N, class... Outer>
[[TESSERA_FLAT]] void compute_transposed(const Bound& bound, const Accessor<T, N>& output, bool non_temporal,
                                         const Box& box, Outer... outer) {
  if constexpr (D > 1) {
    for (int p = static_cast<int>(box[D].begin); p < box[D].end; ++p)
      compute_transposed<D - 1>(bound, output, non_temporal, box, Coordinate(p), outer...);
  } else {
    constexpr int side = transposed_side<T>;
    const Bound local = bound;
    const int x_end = static_cast<int>(box[0].end), y_end = static_cast<int>(box[1].end);
    for (int tile_y = static_cast<int>(box[1].begin); tile_y < y_end; tile_y += transposed_tile_height<T>)
      for (int tile_x = static_cast<int>(box[0].begin); tile_x < x_end; tile_x += transposed_tile_width)
        for (int x = tile_x; x < std::min(tile_x + transposed_tile_width, x_end); x += side)
          for (int y = tile_y; y < std::min(tile_y + transposed_tile_height<T>, y_end); y += side)
            compute_transposed_block(local, output, non_temporal, x, y, std::min(side, x_end - x),
                                     std::min(side, y_end - y), outer...);
  }
}

}  // namespace tessera::detail
