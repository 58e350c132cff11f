// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <vector>

#include "tessera/cost/calibration.hpp"
#include "tessera/cost/machine_description.hpp"

namespace calibrate {

/// The ranks and threads that are measured, and the time for that.
struct Measured {
  /// All ranks.
  MPI_Comm communicator;
  /// True when this rank runs on the node of rank 0, whose speeds are measured.
  bool is_on_node;
  /// The threads of this rank.
  int threads;
  /// The factor of the time that each measurement takes.
  double effort;
};

/// Measures the speeds of copies and of arithmetic, and the time to launch a kernel: of one thread of rank 0
/// while no other computes, and of all threads of all ranks together. Sets these members of `machine`, and
/// with them the number of threads and the size of the last-level caches. `launch_thread_seconds` is set only
/// if a rank has one thread, as Kokkos always starts all threads of a rank. Returns the greatest ratio
/// between two measurements of the same speed, which is near 1 if nothing else runs on the machine. Kokkos
/// must have been started. Collective.
double measure_speeds(const Measured& measured, tessera::cost::MachineDescription& machine);

/// Sends messages from rank 0 to `partner` and back, of 8 bytes to 4 MiB. Returns for each length the bytes,
/// and the seconds of one way of the fastest of `times` messages. The result is of use on rank 0 only. Other
/// ranks than these two may not call this function.
std::vector<tessera::cost::MeasuredPoint> ping_pong(MPI_Comm communicator, int partner, int times);

}  // namespace calibrate
