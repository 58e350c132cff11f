// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>
#include <sched.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tessera/view/machine.hpp"

namespace tessera::app {

/// The processors on which a process may run. The set is a member of a named type, because nvcc 13.0 fails
/// on a vector of cpu_set_t, which is a typedef of an unnamed struct.
struct Affinity {
  cpu_set_t processors;
};

/// Returns the processors on which this process may run.
Affinity own_affinity();

/// Returns the number of threads that this rank uses by default. This is the number of processors on which
/// the rank may run, divided by the number of ranks of its machine node that may run on any of these
/// processors. It is no more than an even share of allowed_processors() among the ranks of the node, at least
/// 1, and at most most_host_threads. Collective.
int default_threads(MPI_Comm communicator);

/// Returns the number in the environment variable OMP_NUM_THREADS, or 0 if the variable is not set or empty.
/// If the variable is a list, its first entry is used. Throws InputError when this entry is not a number from
/// 1 to most_host_threads.
int threads_from_environment();

/// The place where a rank runs, and the resources that the rank uses there.
struct RankPlacement {
  /// The name of the machine node, which ends with a zero byte.
  std::array<char, 64> node{};
  Affinity affinity{};
  int threads = 1;
  Device device{};
  /// The greatest number of bytes that the plan of the rank needs at any time.
  std::int64_t peak_bytes = 0;
};

/// Returns the placement of this rank, with the given `threads` and `peak_bytes`. Kokkos must be initialised.
RankPlacement own_placement(int threads, std::int64_t peak_bytes);

/// Returns the placements of all ranks as text. If `each_rank` is true, the text has a line for each rank.
/// Otherwise it has a line for each group of consecutive ranks that run at the same place, but only for the
/// first few groups. An example of a line is "ranks 0-3: node a, processors 0-7, device 0 (NVIDIA H100 at
/// 0000:3B:00.0), at most 1.2 MiB each". The device is left out if kernels run on the host. The text does not
/// end with a line feed.
std::string placement_text(const std::vector<RankPlacement>& ranks, bool each_rank);

/// Returns at most two lines with warnings, or an empty text if there is nothing to warn of. One line is
/// about the first ranks that share processors and together have more threads than there are such processors.
/// The other line is about the first ranks that share a device. The text does not end with a line feed.
std::string overlap_warning(const std::vector<RankPlacement>& ranks);

}  // namespace tessera::app
