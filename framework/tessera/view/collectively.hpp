// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <functional>

#include "tessera/domain/error.hpp"

namespace tessera {

/// An internal error that all ranks throw together, so that it is enough if one rank reports it.
struct AgreedInternalError : InternalError {
  using InternalError::InternalError;
};

/// Returns the number of ranks of a communicator. Makes no call of MPI for MPI_COMM_SELF, and neither do
/// `rank_in` and `collectively`.
int ranks_of(MPI_Comm communicator);

/// Returns the number of this rank in a communicator.
int rank_in(MPI_Comm communicator);

/// Returns true if `here` is true on at least one rank of a communicator. Collective.
bool on_any_rank(MPI_Comm communicator, bool here);

/// Runs `task` on every rank of `communicator`. Collective. If `task` throws an exception on some ranks, all
/// ranks throw an error with the message of the lowest of these ranks. The error is an InputError or a
/// DivergedError if the exception on that rank was one, and an AgreedInternalError otherwise. If `task` makes
/// collective calls itself, it must not throw on a rank before the last of these calls, because the other
/// ranks would wait for this rank forever.
void collectively(MPI_Comm communicator, const std::function<void()>& task);

/// Runs `task` like `collectively`, for a task that makes collective calls of another library. Such a call
/// may fail on one rank while the other ranks wait in it forever. Therefore, a rank whose `task` throws an
/// exception waits for the other ranks for at most `seconds`. After this time, the rank throws StrandedError
/// if the exception was an InputError, and InternalError otherwise.
void collectively_within(MPI_Comm communicator, double seconds, const std::function<void()>& task);

}  // namespace tessera
