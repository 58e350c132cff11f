// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>
#include <sched.h>

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
/// processors, at least 1, and at most most_host_threads. Collective.
int default_threads(MPI_Comm communicator);

/// Returns the number in the environment variable OMP_NUM_THREADS, or 0 if the variable is not set or empty.
/// If the variable is a list, its first entry is used. Throws InputError when this entry is not a number from
/// 1 to most_host_threads.
int threads_from_environment();

/// Limits the instructions of kernels (see limit_instruction_set) to the set that the environment variable
/// TESSERA_INSTRUCTIONS names, if it is set and not empty. Throws InputError when it names no set.
void limit_instructions_from_environment();

}  // namespace tessera::app
