// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <utility>

namespace tessera {

/// Owns a duplicate of a communicator and frees it in the end, so that the messages of Tessera never match
/// those of the program around it.
class Communicator {
 public:
  /// Duplicates `original`. Collective; so is the destruction of the duplicate.
  explicit Communicator(MPI_Comm original) { MPI_Comm_dup(original, &handle_); }
  ~Communicator() {
    if (handle_ != MPI_COMM_NULL) MPI_Comm_free(&handle_);
  }
  /// Takes over the communicator of `other`, which keeps none.
  Communicator(Communicator&& other) noexcept : handle_(std::exchange(other.handle_, MPI_COMM_NULL)) {}
  /// Exchanges the communicators.
  Communicator& operator=(Communicator&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  /// The duplicate.
  MPI_Comm handle() const { return handle_; }
  /// The number of this rank in the communicator.
  int rank() const {
    int rank = 0;
    MPI_Comm_rank(handle_, &rank);
    return rank;
  }
  /// The number of ranks in the communicator.
  int size() const {
    int size = 0;
    MPI_Comm_size(handle_, &size);
    return size;
  }

 private:
  MPI_Comm handle_ = MPI_COMM_NULL;
};

}  // namespace tessera
