// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <vector>

#include "tessera/cost/calibration.hpp"
#include "tessera/cost/machine_description.hpp"

namespace calibrate {

/// The ranks and threads that are measured, and how long a measurement takes.
struct Measured {
  /// All ranks.
  MPI_Comm communicator;
  /// True when this rank runs on the node of rank 0, whose speeds are measured.
  bool is_on_node_of_rank_0;
  /// The threads of this rank.
  int threads;
  /// The factor of the time that each measurement takes.
  double effort;
};

/// Measures the speeds of copies and of arithmetic, and the time to launch a kernel: first for one thread of
/// rank 0 while no other thread computes, and then for all threads together, of all ranks on the node of rank
/// 0. Sets these members of `machine`, its number of threads, and the size of its last-level caches.
/// `launch_thread_seconds` is set only if a rank has one thread, as Kokkos always starts all threads of a
/// rank. Returns the greatest ratio between two measurements of the same speed, which is near 1 if nothing
/// else runs on the machine. Kokkos must have been started. Collective.
double measure_speeds(const Measured& measured, tessera::cost::MachineDescription& machine);

/// Sends messages of 8 bytes to 4 MiB from rank 0 to `partner` and back, `times` messages of each length.
/// Returns each length in bytes, and the seconds that the fastest message of this length took one way. Only
/// the result of rank 0 counts. Only rank 0 and `partner` may call this function.
std::vector<tessera::cost::MeasuredPoint> ping_pong(MPI_Comm communicator, int partner, int times);

}  // namespace calibrate
