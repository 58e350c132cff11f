// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/pipeline/plan/plan.hpp"
#include "tessera/pipeline/run/detail/tile_loop.hpp"
#include "tessera/view/block.hpp"

namespace tessera {

/// Launches the kernel of a device that computes all members of a compute node. The tiles of the node and the
/// addresses of its arrays are kept in the memory of the device.
class GroupLaunch {
 public:
  GroupLaunch(const Algorithm& pipeline, const TileProgram& program, const ArrayPlaces& arrays,
              const ExecutionSpace& execution);

  /// Updates the addresses of the arrays. This function must be called after a swap has changed them.
  void place(const ArrayPlaces& arrays, const ExecutionSpace& execution);

  /// Enqueues the kernel on the execution space.
  void run(const ExecutionSpace& execution) const;

 private:
  /// An array in memory that the kernel reads or writes.
  struct Use {
    ArrayId array;
    bool is_read;
  };

  const GroupKernel* kernel_;
  std::vector<Use> uses_;
  std::vector<GroupArray> host_arrays_;
  Kokkos::View<Box*, MemorySpace> boxes_;
  Kokkos::View<GroupArray*, MemorySpace> arrays_;
  GroupTiles tiles_;
};

/// The buffers of a rank.
struct RankBuffers {
  /// The block of each buffer.
  const IdVector<BufferId, Block<>>& blocks;
  /// The buffers in which each array is written and read.
  const IdVector<ArrayId, BufferId>& written;
  const IdVector<ArrayId, BufferId>& read;
};

/// The staging memory of one rank (see is_staged), through which the arrays of staged stages are copied. The
/// host and the device can access it. One stage uses it at a time.
class HostStaging {
 public:
  /// Allocates the memory that the staged stages of the plan need.
  HostStaging(const Algorithm& pipeline, const Plan& plan);

  /// Copies what `step` reads to the staging memory, after all work that was enqueued on `execution` before.
  /// Returns when the copies are complete. The result has the places of the copies of the arrays of `step`.
  const ArrayPlaces& fetch(const ExecutionSpace& execution, const plan::Compute& step,
                           const RankBuffers& buffers);

  /// Enqueues on `execution` copies of what `step` has computed, from the staging memory to the buffers.
  void store(const ExecutionSpace& execution, const plan::Compute& step, const RankBuffers& buffers) const;

 private:
  const std::vector<StagedArray>& arrays(const plan::Compute& step) const { return arrays_[step.stage]; }

  /// The arrays of each staged stage.
  IdVector<ArrayId, std::vector<StagedArray>> arrays_;
  Kokkos::View<std::byte*, compat::HostPinnedSpace> memory_;
  ArrayPlaces places_;
};

}  // namespace tessera
