// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>
#include <sched.h>

namespace tessera::app {

/// The processors on which a process may run. It is a named type because nvcc 13.0 fails on a vector of
/// cpu_set_t, which has no name.
struct Affinity {
  cpu_set_t processors;
};

/// Returns the processors on which this process may run.
Affinity own_affinity();

/// Returns the number of threads that this rank uses by default: the number of processors on which it may
/// run, shared evenly with the ranks of its node that may run on the same ones, and at least 1. Collective.
int default_threads(MPI_Comm communicator);

/// Returns the number in OMP_NUM_THREADS, or 0 when it is not set. Throws InputError when it is not a
/// positive number.
int threads_from_environment();

}  // namespace tessera::app
