// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <functional>

#include "tessera/domain/error.hpp"

namespace tessera {

/// An internal error that all ranks know of: one of them is enough to report it.
struct AgreedInternalError : InternalError {
  using InternalError::InternalError;
};

/// Runs `task` on every rank of `communicator`, then agrees on the outcome: when it threw on any rank, all
/// ranks throw the exception of the lowest of those ranks, an InputError as InputError, anything else as
/// InternalError. Collective. `task` must not throw between collective calls of its own: a rank that leaves
/// early would leave the others waiting.
void collectively(MPI_Comm communicator, const std::function<void()>& task);

/// The same of a task that makes collective calls of another library, which a rank may leave with an error
/// while others wait in them for ever: where the others have not come after `seconds`, it throws
/// StrandedError instead of an InputError, and InternalError instead of AgreedInternalError.
void collectively_within(MPI_Comm communicator, double seconds, const std::function<void()>& task);

}  // namespace tessera
