// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera {

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
