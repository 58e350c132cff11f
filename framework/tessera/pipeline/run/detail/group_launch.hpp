// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/pipeline/run/detail/tile_loop.hpp"

namespace tessera {

/// A compute node whose members are computed by one kernel of a device. It keeps the tiles and the places of
/// the arrays in the device's memory.
class GroupLaunch {
 public:
  GroupLaunch(const Algorithm& pipeline, const TileProgram& program, const ArrayPlaces& arrays,
              const ExecutionSpace& execution);

  /// Must be called when arrays have changed places.
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
