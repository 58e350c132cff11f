// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "tessera/domain/box.hpp"
#include "tessera/pipeline/body/pack.hpp"
#include "tessera/pipeline/kernel/flat.hpp"
#include "tessera/pipeline/kernel/non_temporal_stores.hpp"
#include "tessera/view/accessor.hpp"

namespace tessera::detail {

/// The number of points along each side of the blocks that are transposed: a cache line of elements, or 32 if
/// that is less.
template <class T>
inline constexpr int turned_side = std::min<int>(32, 64 / static_cast<int>(sizeof(T)));

/// Writes the transpose of a dense block of turned_side x turned_side elements of `element_size` bytes to
/// `result`, whose rows lie `stride` elements apart. Throws InternalError for sizes other than 1, 2, 4 and 8
/// bytes.
void turn_block(std::size_t element_size, const void* block, void* result, std::ptrdiff_t stride);

/// Computes up to turned_side x turned_side points from (x, y) on, column by column, because the points that
/// the body reads lie along its columns; the block is then transposed into the output.
template <class Bound, class T, int N, class... Outer>
[[gnu::always_inline]] inline void compute_turned_block(const Bound& bound, const Accessor<T, N>& output,
                                                        bool streams, int x, int y, int width, int height,
                                                        Outer... outer) {
  constexpr int side = turned_side<T>;
  alignas(64) T block[side * side];
  const auto compute = [&](int columns, int rows) __attribute__((always_inline)) {
    for (int i = 0; i < columns; ++i) {
#pragma omp simd
      for (int k = 0; k < rows; ++k)
        block[i * side + k] =
            static_cast<T>(value_of<0>(bound(Coordinate(x + i), Coordinate(y + k), outer...)));
    }
  };
  const bool is_whole = width == side && height == side;
  if (is_whole)
    compute(side, side);
  else
    compute(width, height);
  if (is_whole && !streams) {
    T* const first = &output(Coordinate(x), Coordinate(y), outer...);
    turn_block(sizeof(T), block, first, &output(Coordinate(x), Coordinate(y + 1), outer...) - first);
    return;
  }
  alignas(64) T turned[side * side];
  turn_block(sizeof(T), block, turned, side);
  for (int k = 0; k < height; ++k) {
    T* const row = &output(Coordinate(x), Coordinate(y + k), outer...);
    if (streams)
      stream(row, turned + k * side, static_cast<std::size_t>(width) * sizeof(T));
    else
      std::copy_n(turned + k * side, width, row);
  }
}

/// The width, in points, of the tiles whose blocks are transposed one after the other.
inline constexpr int turned_columns = 64;
/// The height, in points, of these tiles: the points that they read lie in runs of 1 KiB, which processors
/// prefetch.
template <class T>
inline constexpr int turned_rows = 1024 / static_cast<int>(sizeof(T));

/// Computes a box whose rows are columns of the input that the body reads.
template <int D, class Bound, class T, int N, class... Outer>
[[TESSERA_FLAT]] void compute_turning(const Bound& bound, const Accessor<T, N>& output, bool streams,
                                      const Box& box, Outer... outer) {
  if constexpr (D > 1) {
    for (int p = static_cast<int>(box[D].begin); p < box[D].end; ++p)
      compute_turning<D - 1>(bound, output, streams, box, Coordinate(p), outer...);
  } else {
    constexpr int side = turned_side<T>;
    const Bound local = bound;
    const int x_end = static_cast<int>(box[0].end), y_end = static_cast<int>(box[1].end);
    for (int tile_y = static_cast<int>(box[1].begin); tile_y < y_end; tile_y += turned_rows<T>)
      for (int tile_x = static_cast<int>(box[0].begin); tile_x < x_end; tile_x += turned_columns)
        for (int x = tile_x; x < std::min(tile_x + turned_columns, x_end); x += side)
          for (int y = tile_y; y < std::min(tile_y + turned_rows<T>, y_end); y += side)
            compute_turned_block(local, output, streams, x, y, std::min(side, x_end - x),
                                 std::min(side, y_end - y), outer...);
  }
}

}  // namespace tessera::detail
