// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera {

/// Memory that the ranks of a node see of each other: a shared window of MPI-3.
class NodeMemory {
 public:
  /// Finds out which ranks of `communicator` share this rank's node. Collective.
  explicit NodeMemory(MPI_Comm communicator);
  ~NodeMemory();
  NodeMemory(const NodeMemory&) = delete;
  NodeMemory& operator=(const NodeMemory&) = delete;

  bool shares_node(int rank) const { return node_rank(rank) != MPI_UNDEFINED; }
  /// The number of a rank among those of the node.
  int node_rank(int rank) const { return node_ranks_[static_cast<std::size_t>(rank)]; }
  MPI_Comm node() const { return node_; }

  /// Gives this rank so many bytes. Once; collective over the node.
  std::byte* allocate(std::int64_t bytes);
  /// The memory of a rank of the node.
  std::byte* of(int rank) const;
  /// What was written before it, here or by a rank that has sent a message since, is seen after it.
  void synchronise() const { MPI_Win_sync(window_); }

 private:
  MPI_Comm node_ = MPI_COMM_NULL;
  MPI_Win window_ = MPI_WIN_NULL;
  /// By rank of the communicator.
  std::vector<int> node_ranks_;
};

}  // namespace tessera
