// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

#include "tessera/domain/box.hpp"
#include "tessera/view/compat.hpp"

namespace tessera {

/// The policy of a kernel that is called with the indices of a range. A host thread gets consecutive indices.
template <class Execution = ExecutionSpace>
using IndexPolicy =
    Kokkos::RangePolicy<Execution, Kokkos::Schedule<Kokkos::Static>, Kokkos::IndexType<std::int64_t>>;

/// The threads of a host that do some work. On devices the mode has no effect, because kernels do all work.
/// `calling_thread` is for work that several host threads do at the same time, because Kokkos kernels must
/// not be launched by several threads at the same time.
enum class HostMode : std::uint8_t {
  kernels,        ///< Kokkos kernels do the work, on the threads of the execution space.
  calling_thread  ///< The calling thread does the work, without Kokkos.
};

/// Calls kernel(index) for all indices in [0, count). If `Execution` is HostExecutionSpace, and if `mode` is
/// HostMode::calling_thread or `count` is 1, the calling thread makes the calls at once. Otherwise the calls
/// are enqueued on `execution`, as a Kokkos kernel with the name `name`.
template <class Execution, class Kernel>
void for_each_index(const Execution& execution, [[maybe_unused]] HostMode mode, const char* name,
                    std::int64_t count, const Kernel& kernel) {
  if constexpr (std::is_same_v<Execution, HostExecutionSpace>) {
    if (mode == HostMode::calling_thread || count == 1) {
      for (std::int64_t index = 0; index < count; ++index) kernel(index);
      return;
    }
  }
  Kokkos::parallel_for(name, IndexPolicy<Execution>(execution, 0, count), kernel);
}

}  // namespace tessera

namespace tessera::detail {

/// Calls use(Unit()) for the unsigned integer Unit of `bytes` bytes, which are 1, 2, 4 or 8.
template <class Use>
void with_unit(std::int64_t bytes, const Use& use) {
  if (bytes == 1) return use(std::uint8_t());
  if (bytes == 2) return use(std::uint16_t());
  if (bytes == 4) return use(std::uint32_t());
  use(std::uint64_t());
}

/// The number of threads of a team that computes one tile of a box on a device.
inline constexpr int device_team_threads = 256;

/// Returns the number of rows that a thread of a device computes: `Kernel::rows_per_thread` if the kernel has
/// such a member, and 1 otherwise.
template <class Kernel>
constexpr int rows_per_thread_of() {
  if constexpr (requires { Kernel::rows_per_thread; })
    return Kernel::rows_per_thread;
  else
    return 1;
}

/// Divides a box into tiles, one for each team of threads of a device. Neighbouring threads compute
/// neighbouring columns. A tile has one row for each group of threads that share a row, or several rows if
/// each thread computes several. In the dimensions above y, a tile has a single point. Coordinates are ints,
/// and a thread divides integers of 32 bits only, a few of them for each tile.
class DeviceTiling {
 public:
  /// Divides `box`, which must not be empty, for threads that each compute `rows` rows.
  DeviceTiling(const Box& box, int rows) : rows_(rows) {
    for (int d = 0; d < box.dimensions; ++d) {
      begin_[d] = static_cast<int>(box[d].begin);
      end_[d] = static_cast<int>(box[d].end);
    }
    const int width = end_[0] - begin_[0];
    const int most_columns = end_[1] - begin_[1] > 1 ? device_team_threads / 2 : device_team_threads;
    while ((1 << log_columns_) < std::min(width, most_columns)) ++log_columns_;
    height_ = (device_team_threads >> log_columns_) * rows;
    across_ = (width - 1) / (1 << log_columns_) + 1;
    down_ = (end_[1] - begin_[1] - 1) / height_ + 1;
    has_planes_ = box.dimensions > 2;
  }

  /// Returns the number of tiles.
  std::int64_t count() const {
    return std::int64_t{across_} * down_ * (end_[2] - begin_[2]) * (end_[3] - begin_[3]);
  }

  /// Writes the coordinates of the first point that the thread `thread` computes in `tile` to `point`.
  /// Returns the number of rows that the thread computes from this point on, which is 0 if it has nothing to
  /// do.
  KOKKOS_FORCEINLINE_FUNCTION int first_point(int tile, int thread, int* point) const {
    point[0] = begin_[0] + (tile % across_ << log_columns_) + (thread & ((1 << log_columns_) - 1));
    tile /= across_;
    point[2] = begin_[2];
    point[3] = begin_[3];
    if (has_planes_) {
      const int plane = tile / down_;
      tile -= plane * down_;
      point[2] += plane % (end_[2] - begin_[2]);
      point[3] += plane / (end_[2] - begin_[2]);
    }
    point[1] = begin_[1] + tile * height_ + (thread >> log_columns_) * rows_;
    const int left = end_[1] - point[1];
    if (point[0] >= end_[0] || left <= 0) return 0;
    return left < rows_ ? left : rows_;
  }

 private:
  int begin_[max_dimensions] = {0, 0, 0, 0};
  int end_[max_dimensions] = {1, 1, 1, 1};
  int rows_;
  int log_columns_ = 0;
  int height_ = 0;
  /// The numbers of tiles along x and along y.
  int across_ = 0;
  int down_ = 0;
  bool has_planes_ = false;
};

/// Calls kernel.compute(point) for the points of a box, or kernel.compute_rows(point) for several points
/// below each other.
template <class Kernel>
struct DeviceTiles {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  using Member = typename Policy::member_type;
  static constexpr int rows_per_thread = rows_per_thread_of<Kernel>();
  /// True if a team copies the kernel into its scratch memory first. Threads that read different entries of a
  /// table in the arguments of a launch would wait for each other. A team then computes many tiles. Larger
  /// kernels would leave room for too few teams.
  static constexpr bool is_copied = sizeof(Kernel) > 768 && sizeof(Kernel) <= 16384 &&
                                    alignof(Kernel) <= 16 && sizeof(Kernel) % sizeof(int) == 0;
  static constexpr int scratch_bytes = is_copied ? static_cast<int>(sizeof(Kernel)) + 16 : 0;
  static constexpr std::int64_t most_copies = 1024;

  Kernel kernel;
  DeviceTiling tiling;
  int count;

  /// Returns the number of teams.
  std::int64_t teams() const { return is_copied ? std::min<std::int64_t>(count, most_copies) : count; }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    if constexpr (is_copied) {
      auto* words =
          static_cast<int*>(team.team_scratch(0).get_shmem_aligned(static_cast<int>(sizeof(Kernel)), 16));
      const int* from = reinterpret_cast<const int*>(&kernel);
      constexpr int count_of_words = static_cast<int>(sizeof(Kernel) / sizeof(int));
      for (int i = team.team_rank(); i < count_of_words; i += team.team_size()) words[i] = from[i];
      team.team_barrier();
      const Kernel& copy = *reinterpret_cast<const Kernel*>(words);
      for (int tile = team.league_rank(); tile < count; tile += team.league_size())
        compute(copy, tile, team.team_rank());
    } else {
      compute(kernel, team.league_rank(), team.team_rank());
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void compute(const Kernel& local, int tile, int thread) const {
    int point[max_dimensions];
    int rows = tiling.first_point(tile, thread, point);
    if constexpr (rows_per_thread > 1)
      if (rows == rows_per_thread) return local.compute_rows(point);
    for (; rows > 0; --rows, ++point[1]) local.compute(point);
  }
};

/// Enqueues a kernel that `teams` teams of `device_team_threads` threads run. Each team has `scratch` bytes
/// of scratch memory. Kokkos passes kernels of less than 4 KiB as arguments of the launch, which does not
/// wait for earlier launches.
template <class Tiles>
void launch_teams(const ExecutionSpace& execution, const char* name, std::int64_t teams, int scratch,
                  const Tiles& tiles) {
  typename Tiles::Policy policy(execution, static_cast<int>(teams), device_team_threads);
  if (scratch > 0) policy.set_scratch_size(0, Kokkos::PerTeam(scratch));
  Kokkos::parallel_for(
      name, Kokkos::Experimental::require(policy, Kokkos::Experimental::WorkItemProperty::HintLightWeight),
      tiles);
}

/// Enqueues kernel.compute(point) for all points of `box` on a device. If the kernel has a member
/// `rows_per_thread`, it also has a function compute_rows(point), which computes that many points along y.
template <class Kernel>
void launch_on_device(const ExecutionSpace& execution, const char* name, const Box& box,
                      const Kernel& kernel) {
  const DeviceTiling tiling(box, DeviceTiles<Kernel>::rows_per_thread);
  const DeviceTiles<Kernel> tiles{kernel, tiling, static_cast<int>(tiling.count())};
  launch_teams(execution, name, tiles.teams(), tiles.scratch_bytes, tiles);
}

}  // namespace tessera::detail
