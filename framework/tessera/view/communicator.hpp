// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <utility>

namespace tessera {

/// A duplicate of a communicator, freed at the end: Tessera's messages never meet those of the program around
/// it.
class Communicator {
 public:
  /// Collective.
  explicit Communicator(MPI_Comm original) { MPI_Comm_dup(original, &handle_); }
  ~Communicator() {
    if (handle_ != MPI_COMM_NULL) MPI_Comm_free(&handle_);
  }
  Communicator(Communicator&& other) noexcept : handle_(std::exchange(other.handle_, MPI_COMM_NULL)) {}
  Communicator& operator=(Communicator&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  MPI_Comm handle() const { return handle_; }
  int rank() const {
    int rank = 0;
    MPI_Comm_rank(handle_, &rank);
    return rank;
  }
  int size() const {
    int size = 0;
    MPI_Comm_size(handle_, &size);
    return size;
  }

 private:
  MPI_Comm handle_ = MPI_COMM_NULL;
};

}  // namespace tessera
