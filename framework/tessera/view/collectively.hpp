// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <functional>

#include "tessera/domain/error.hpp"

namespace tessera {

/// An internal error that all ranks know of, so that a report by one of them is enough.
struct AgreedInternalError : InternalError {
  using InternalError::InternalError;
};

/// Runs `task` on every rank of `communicator`, then agrees on the outcome. When it threw on any rank, all
/// ranks throw the exception of the lowest of those ranks: an InputError as InputError, and anything else as
/// AgreedInternalError. Collective. `task` must not throw between collective calls of its own, because a rank
/// that leaves early would leave the others waiting.
void collectively(MPI_Comm communicator, const std::function<void()>& task);

/// Does what `collectively` does for a task that makes collective calls of another library. A rank may leave
/// such a call with an error while others wait in it for ever. So a rank on which `task` threw waits at most
/// `seconds` for the others, and then throws StrandedError if it was an InputError, and InternalError
/// otherwise.
void collectively_within(MPI_Comm communicator, double seconds, const std::function<void()>& task);

}  // namespace tessera
