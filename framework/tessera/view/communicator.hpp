// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <mutex>
#include <utility>

namespace tessera {

/// Owns a duplicate of an MPI communicator, and frees the duplicate when it is destroyed. With a duplicate,
/// messages of Tessera never match receives of the program that calls Tessera.
class Communicator {
 public:
  /// Duplicates `original`. Collective. The destruction of the object is collective, too.
  explicit Communicator(MPI_Comm original) {
    int size = 0;
    MPI_Comm_size(original, &size);
    with_lock_if(size == 1, [&] { MPI_Comm_dup(original, &handle_); });
  }
  ~Communicator() {
    if (handle_ != MPI_COMM_NULL) with_lock_if(size() == 1, [&] { MPI_Comm_free(&handle_); });
  }
  /// Takes over the communicator of `other`. Afterwards, `other` has no communicator.
  Communicator(Communicator&& other) noexcept : handle_(std::exchange(other.handle_, MPI_COMM_NULL)) {}
  /// Exchanges the communicators of this object and of `other`.
  Communicator& operator=(Communicator&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  /// The MPI handle of the duplicate.
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
  /// Calls `act`, and lets no other thread do so at the same time if `has_lock` is true. Several threads may
  /// duplicate MPI_COMM_SELF, on which MPI forbids collective calls at the same time.
  template <class Act>
  static void with_lock_if(bool has_lock, const Act& act) {
    std::unique_lock lock(mutex, std::defer_lock);
    if (has_lock) lock.lock();
    act();
  }

  static inline std::mutex mutex;
  MPI_Comm handle_ = MPI_COMM_NULL;
};

}  // namespace tessera
