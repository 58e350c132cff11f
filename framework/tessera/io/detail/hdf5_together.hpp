// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <functional>

namespace tessera::io::detail {

/// Runs `task`, which makes collective calls of HDF5. Collective. If `task` fails on a rank, this rank
/// waits a few seconds for the others. If all ranks end `task` in this time, all throw the same error, as in
/// `collectively`. Otherwise, other ranks may wait inside HDF5 forever. The rank then throws StrandedError or
/// InternalError, and closes no HDF5 file any more.
void call_together(MPI_Comm communicator, const std::function<void()>& task);

/// Runs `task` like `call_together`, for a task that writes to a file. HDF5 cannot close a file into which a
/// rank could not write. Therefore, if there are several ranks, each of them throws StrandedError instead of
/// InputError.
void write_together(MPI_Comm communicator, const std::function<void()>& task);

}  // namespace tessera::io::detail
