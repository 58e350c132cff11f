// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <functional>

namespace tessera::io::detail {

/// Runs calls of HDF5 that all ranks make together, and agrees on the outcome, as `collectively`. A rank
/// whose call fails may leave others waiting inside HDF5: StrandedError then, and no file of HDF5 is closed
/// any more.
void call_together(MPI_Comm communicator, const std::function<void()>& task);

/// The same of calls that write values. HDF5 closes no file into which a rank could not write: several ranks
/// have nothing but StrandedError then, even where all of them know.
void write_together(MPI_Comm communicator, const std::function<void()>& task);

}  // namespace tessera::io::detail
