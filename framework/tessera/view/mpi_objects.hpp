// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "tessera/view/collectively.hpp"

namespace tessera {

/// Owns a duplicate of an MPI communicator, and frees the duplicate when it is destroyed. With a duplicate,
/// messages of Tessera never match receives of the program that calls Tessera.
class Communicator {
 public:
  /// Duplicates `original`. Collective. The destruction of the object is collective, too.
  explicit Communicator(MPI_Comm original) {
    with_lock_if(ranks_of(original) == 1, [&] { MPI_Comm_dup(original, &handle_); });
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
  int rank() const { return rank_in(handle_); }
  /// The number of ranks in the communicator.
  int size() const { return ranks_of(handle_); }

 private:
  /// Calls `act`, and lets no other thread do so at the same time if `has_lock` is true. Several threads may
  /// duplicate MPI_COMM_SELF, and MPI forbids collective calls at the same time on one communicator.
  template <class Act>
  static void with_lock_if(bool has_lock, const Act& act) {
    std::unique_lock lock(mutex, std::defer_lock);
    if (has_lock) lock.lock();
    act();
  }

  static inline std::mutex mutex;
  MPI_Comm handle_ = MPI_COMM_NULL;
};

/// Waits until all requests of a list are complete.
inline void wait_all(std::vector<MPI_Request>& requests) {
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}
/// Starts all persistent requests of a list.
inline void start_all(std::vector<MPI_Request>& requests) {
  MPI_Startall(static_cast<int>(requests.size()), requests.data());
}
/// Frees the persistent requests of a list. Some of them may be null.
inline void free_all(std::vector<MPI_Request>& requests) {
  for (MPI_Request& request : requests)
    if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
}

/// Describes a message of any number of bytes by a count and a datatype of MPI, although counts of MPI are
/// ints. A message of more than `largest` bytes is described as one element of a datatype that is made for
/// this message.
class LargeMessage {
 public:
  /// Describes a message of `bytes` bytes. A datatype is made if `bytes` is greater than `largest`. `largest`
  /// must fit into an int. MPI must have been initialised.
  explicit LargeMessage(std::int64_t bytes, std::int64_t largest = std::int64_t{1} << 30);
  ~LargeMessage();
  LargeMessage(const LargeMessage&) = delete;
  LargeMessage& operator=(const LargeMessage&) = delete;

  /// The number of elements of `type`.
  int count() const { return count_; }
  /// The datatype of the elements. It must not be used after this object has been destroyed.
  MPI_Datatype type() const { return type_; }

 private:
  int count_ = 0;
  MPI_Datatype type_ = MPI_BYTE;
};

/// An MPI datatype and an MPI operation with which ranks join their values of a reduction. A ValueReduction
/// is made once and can be run any number of times.
class ValueReduction {
 public:
  /// Prepares reductions of values of `bytes` bytes. `join` joins two values to one. The joined value of all
  /// ranks must not depend on the order of the ranks. Not collective.
  ValueReduction(std::int64_t bytes, MPI_User_function* join);
  ~ValueReduction();
  ValueReduction(const ValueReduction&) = delete;
  ValueReduction& operator=(const ValueReduction&) = delete;

  /// Joins the values of all ranks, and replaces `value` on every rank by the joined value. Collective.
  void run(void* value, MPI_Comm communicator) const;
  /// Starts to join the values of all ranks, and to replace `value` on every rank by the joined value. This
  /// is done when `request` is complete. Until then, `value` and this object must not be destroyed.
  /// Collective.
  void start(void* value, MPI_Comm communicator, MPI_Request& request) const;

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  MPI_Op operation_ = MPI_OP_NULL;
};

/// Memory that the ranks of one machine node share, as a shared window of MPI-3. The destructor is collective
/// over the ranks of the machine node. While an exception unwinds the stack, the destructor leaves the memory
/// as it is instead, because other ranks may not know the exception, and would not take part.
class NodeMemory {
 public:
  /// Finds out which ranks of `communicator` run on the same machine node as this rank. Collective.
  explicit NodeMemory(MPI_Comm communicator);
  ~NodeMemory();
  NodeMemory(const NodeMemory&) = delete;
  NodeMemory& operator=(const NodeMemory&) = delete;

  /// Returns true when `rank` of the communicator runs on the same machine node as this rank.
  bool shares_node(int rank) const { return node_rank(rank) != MPI_UNDEFINED; }
  /// Returns the number that `rank` of the communicator has in `node()`. Returns MPI_UNDEFINED if `rank` runs
  /// on another machine node.
  int node_rank(int rank) const { return node_ranks_[static_cast<std::size_t>(rank)]; }
  /// The communicator of the ranks on this rank's machine node.
  MPI_Comm node() const { return node_; }

  /// Allocates `bytes` bytes for this rank and returns their address. It may be called only once. Throws
  /// InputError on all ranks of the communicator if the ranks of some machine node cannot share so much
  /// memory, or if `has_memory` is false on any rank, which tells that another allocation has failed there.
  /// Collective.
  std::byte* allocate(std::int64_t bytes, bool has_memory);
  /// Returns the address of the memory that `rank` of the communicator has allocated. That rank must run on
  /// the same machine node as this rank.
  std::byte* of(int rank) const;
  /// Orders accesses to the memory: the accesses of this rank before the call take place before its accesses
  /// after the call. A rank calls this function after it has written to the memory and before it sends a
  /// message about that to another rank. The other rank calls it after it has received the message and before
  /// it reads the memory.
  void synchronise() const { MPI_Win_sync(window_); }

 private:
  /// The communicator that was given to the constructor.
  MPI_Comm communicator_;
  MPI_Comm node_ = MPI_COMM_NULL;
  MPI_Win window_ = MPI_WIN_NULL;
  /// For each rank of the communicator, its number in `node_`, or MPI_UNDEFINED.
  std::vector<int> node_ranks_;
};

}  // namespace tessera
