// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/hdf5_together.hpp"

#include "tessera/domain/error.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::io::detail {
namespace {

/// How long a rank that has failed waits for the others, which may be at work on their parts.
constexpr double patience_seconds = 5;

}  // namespace

void call_together(MPI_Comm communicator, const std::function<void()>& task) {
  collectively_within(communicator, patience_seconds, task);
}

void write_together(MPI_Comm communicator, const std::function<void()>& task) {
  try {
    collectively_within(communicator, patience_seconds, task);
  } catch (const InputError& error) {
    int rank = 0, ranks = 1;
    MPI_Comm_rank(communicator, &rank);
    MPI_Comm_size(communicator, &ranks);
    if (ranks == 1) throw;
    throw StrandedError(rank == 0 ? error.what() : "");
  }
}

}  // namespace tessera::io::detail
