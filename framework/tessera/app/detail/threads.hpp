// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>
#include <sched.h>

namespace tessera::app {

/// The processors that a process may run on. Named, because nvcc 13.0 fails on a vector of cpu_set_t, which
/// is not.
struct Affinity {
  cpu_set_t processors;
};

/// Those of this process.
Affinity own_affinity();

/// Threads that this rank should use when nobody says: the processors it may run on, shared evenly with the
/// ranks of its node that may run on the same ones; at least 1. Collective.
int default_threads(MPI_Comm communicator);

/// The number in OMP_NUM_THREADS, or 0 when it is not set. Throws InputError when it is not a positive
/// number.
int threads_from_environment();

}  // namespace tessera::app
