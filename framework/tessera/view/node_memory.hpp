// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera {

/// Memory that the ranks of one machine node share: a shared window of MPI-3. Its destruction is collective
/// over the node.
class NodeMemory {
 public:
  /// Finds out which ranks of `communicator` share this rank's node. Collective.
  explicit NodeMemory(MPI_Comm communicator);
  ~NodeMemory();
  NodeMemory(const NodeMemory&) = delete;
  NodeMemory& operator=(const NodeMemory&) = delete;

  /// Returns true when `rank` of the communicator runs on this rank's node.
  bool shares_node(int rank) const { return node_rank(rank) != MPI_UNDEFINED; }
  /// Returns the number of a rank of the communicator among those of the node, or MPI_UNDEFINED for ranks of
  /// other nodes.
  int node_rank(int rank) const { return node_ranks_[static_cast<std::size_t>(rank)]; }
  /// The communicator of the ranks of the node.
  MPI_Comm node() const { return node_; }

  /// Allocates this many bytes for this rank and returns them. It is called once. Collective over the node.
  std::byte* allocate(std::int64_t bytes);
  /// Returns the memory of a rank of the node.
  std::byte* of(int rank) const;
  /// Orders accesses to the memory: all writes before the call, of this rank or of a rank that has sent a
  /// message since, are seen after it.
  void synchronise() const { MPI_Win_sync(window_); }

 private:
  MPI_Comm node_ = MPI_COMM_NULL;
  MPI_Win window_ = MPI_WIN_NULL;
  /// The number on the node of each rank of the communicator.
  std::vector<int> node_ranks_;
};

}  // namespace tessera
