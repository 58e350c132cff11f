// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/view/device_tiles.hpp"

namespace tessera::detail {

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
