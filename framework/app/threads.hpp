// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

namespace tessera::app {

/// Threads that this rank should use when nobody says: the processors it may run on, shared evenly with the
/// ranks of its node that may run on the same ones; at least 1. Collective.
int default_threads(MPI_Comm communicator);

/// The number in OMP_NUM_THREADS, or 0 when it is not set. Throws InputError when it is not a positive
/// number.
int threads_from_environment();

}  // namespace tessera::app
