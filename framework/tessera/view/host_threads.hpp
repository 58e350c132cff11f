// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tessera {

/// The largest number of host threads with which one rank computes. The OpenMP backend of Kokkos has a table
/// of so many threads, and with more threads it writes beyond the end of the table.
inline constexpr int most_host_threads = 512;

/// Makes OpenMP use `threads` threads, whatever OMP_NUM_THREADS says. Kokkos starts all threads of OpenMP
/// when it is initialised, even if it is told to use fewer, so that this function is called before.
void set_openmp_threads(int threads);

/// Throws InputError if this process cannot start `threads` threads, for example because of a limit of the
/// system or of a container.
void check_that_threads_start(int threads);

}  // namespace tessera
