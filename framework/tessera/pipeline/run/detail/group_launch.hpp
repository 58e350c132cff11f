// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/pipeline/run/detail/tile_loop.hpp"

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
    int array;
    bool is_read;
  };

  const GroupKernel* kernel_;
  std::vector<Use> uses_;
  std::vector<GroupArray> host_arrays_;
  Kokkos::View<Box*, MemorySpace> boxes_;
  Kokkos::View<GroupArray*, MemorySpace> arrays_;
  GroupTiles tiles_;
};

}  // namespace tessera
