// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "tessera/domain/box.hpp"
#include "tessera/pipeline/body/pack.hpp"
#include "tessera/view/accessor.hpp"
#include "tessera/view/instruction_sets.hpp"
#include "tessera/view/launch.hpp"

namespace tessera::detail {

/// The number of points along each side of the square blocks that are transposed. It is the number of
/// elements in a cache line, but at most 32.
template <class T>
inline constexpr int transposed_side = std::min<int>(32, 64 / static_cast<int>(sizeof(T)));

/// Writes the transpose of a dense block to `result`, but only its first `height` rows, and only the first
/// `width` elements of each row. The block has transposed_side x transposed_side elements of `Bytes` bytes.
/// The rows of the result lie `stride` bytes apart. If `non_temporal` is true, the result is written past the
/// caches.
template <std::size_t Bytes>
void store_transposed(const void* block, std::byte* result, std::ptrdiff_t stride, int width, int height,
                      bool non_temporal);
extern template void store_transposed<1>(const void*, std::byte*, std::ptrdiff_t, int, int, bool);
extern template void store_transposed<2>(const void*, std::byte*, std::ptrdiff_t, int, int, bool);
extern template void store_transposed<4>(const void*, std::byte*, std::ptrdiff_t, int, int, bool);
extern template void store_transposed<8>(const void*, std::byte*, std::ptrdiff_t, int, int, bool);

/// Computes `width` x `height` points from (x, y) on, at most transposed_side along each side. The points are
/// first computed into a block, column by column, because the points that the body reads for neighbours along
/// y follow each other in memory. The block is then transposed into the output.
template <class Bound, class T, int N, class... Outer>
[[gnu::always_inline]] inline void compute_transposed_block(const Bound& bound, const Accessor<T, N>& output,
                                                            bool non_temporal, int x, int y, int width,
                                                            int height, Outer... outer) {
  constexpr int side = transposed_side<T>;
  alignas(64) T block[side * side];
  const auto compute = [&](int columns, int rows) __attribute__((always_inline)) {
    for (int i = 0; i < columns; ++i) {
      TESSERA_VECTORISED
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

/// The width, in points, of the tiles of compute_transposed. The blocks of a tile are transposed one after
/// the other.
inline constexpr int transposed_tile_width = 64;
/// The height, in points, of the tiles of compute_transposed. A column of a tile takes 1 KiB, so that the
/// body reads long contiguous parts of the input, which processors prefetch.
template <class T>
inline constexpr int transposed_tile_height = 1024 / static_cast<int>(sizeof(T));

/// Computes all points of `box` that have the coordinates `outer` in the dimensions above D. This function is
/// for stages whose rows are columns of an input (see Footprint::swaps_rows).
template <int D, class Bound, class T, int N, class... Outer>
void compute_transposed(const Bound& bound, const Accessor<T, N>& output, bool non_temporal, const Box& box,
                        Outer... outer) {
  if constexpr (D > 1) {
    for (int p = static_cast<int>(box[D].begin); p < box[D].end; ++p)
      compute_transposed<D - 1>(bound, output, non_temporal, box, Coordinate(p), outer...);
  } else {
    call_flat_for_processor([&bound, &output, non_temporal, &box, outer...] {
      constexpr int side = transposed_side<T>;
      const Bound local = bound;
      const int x_end = static_cast<int>(box[0].end), y_end = static_cast<int>(box[1].end);
      for (int tile_y = static_cast<int>(box[1].begin); tile_y < y_end; tile_y += transposed_tile_height<T>)
        for (int tile_x = static_cast<int>(box[0].begin); tile_x < x_end; tile_x += transposed_tile_width)
          for (int x = tile_x; x < std::min(tile_x + transposed_tile_width, x_end); x += side)
            for (int y = tile_y; y < std::min(tile_y + transposed_tile_height<T>, y_end); y += side)
              compute_transposed_block(local, output, non_temporal, x, y, std::min(side, x_end - x),
                                       std::min(side, y_end - y), outer...);
    });
  }
}

/// Computes the points of a stage whose rows are columns of an input (see Footprint::swaps_rows) on a device.
/// A team computes a square tile. Neighbouring threads first compute points below each other, which read
/// neighbours in memory, and put them into scratch memory. After a barrier, they store points beside each
/// other, which are neighbours in memory, too.
template <class Kernel>
struct TransposingTiles {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  using Result = decltype(std::declval<const Kernel&>().value(std::declval<const int*>()));

  /// The number of points along each side of a tile.
  static constexpr int side = 32;
  static constexpr int rows_per_step = device_team_threads / side;

  /// A point in scratch memory. Points have at least 4 bytes, and rows of scratch memory have one point more
  /// than a tile, so that threads which access a column use different banks of the memory.
  struct alignas(alignof(Result) > 4 ? alignof(Result) : 4) Slot {
    Result value;
  };
  static constexpr int scratch_bytes = side * (side + 1) * static_cast<int>(sizeof(Slot));

  Kernel kernel;
  Box box;
  int across;
  int down;

  /// Divides `points` into tiles.
  TransposingTiles(const Kernel& stage, const Box& points)
      : kernel(stage),
        box(points),
        across(static_cast<int>((points[0].size() - 1) / side + 1)),
        down(static_cast<int>((points[1].size() - 1) / side + 1)) {}

  /// Returns the number of tiles.
  std::int64_t count() const { return box.size() / (box[0].size() * box[1].size()) * across * down; }

  KOKKOS_FUNCTION void operator()(const typename Policy::member_type& team) const {
    auto* block =
        static_cast<Slot*>(team.team_scratch(0).get_shmem_aligned(int{scratch_bytes}, alignof(Slot)));
    const int tile = team.league_rank();
    int corner[max_dimensions] = {static_cast<int>(box[0].begin) + tile % across * side,
                                  static_cast<int>(box[1].begin) + tile / across % down * side, 0, 0};
    if (box.dimensions > 2) {
      const int plane = tile / (across * down);
      const int planes = static_cast<int>(box[2].size());
      corner[2] = static_cast<int>(box[2].begin) + plane % planes;
      if (box.dimensions > 3) corner[3] = static_cast<int>(box[3].begin) + plane / planes;
    }
    const int lane = team.team_rank() % side;
    const int first = team.team_rank() / side;
    for (int i = first; i < side; i += rows_per_step) {
      const int p[max_dimensions] = {corner[0] + i, corner[1] + lane, corner[2], corner[3]};
      if (p[0] < box[0].end && p[1] < box[1].end) block[i * (side + 1) + lane].value = kernel.value(p);
    }
    team.team_barrier();
    for (int i = first; i < side; i += rows_per_step) {
      const int p[max_dimensions] = {corner[0] + lane, corner[1] + i, corner[2], corner[3]};
      if (p[0] < box[0].end && p[1] < box[1].end) kernel.store(p, block[lane * (side + 1) + i].value);
    }
  }
};

}  // namespace tessera::detail
