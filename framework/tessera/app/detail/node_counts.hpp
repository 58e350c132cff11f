// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "tessera/view/node_memory.hpp"

namespace tessera::app {

/// A count of each rank, which the other ranks of its machine node see at once, without a message.
class NodeCounts {
 public:
  /// Begins with counts of 0. Collective, as is the destructor. Throws InputError on all ranks if the ranks
  /// of a machine node cannot share memory.
  explicit NodeCounts(MPI_Comm communicator);

  /// Adds 1 to the count of this rank.
  void add() { counts_.front()->fetch_add(1, std::memory_order_relaxed); }
  /// Returns the sum of the counts of this rank's machine node. Any thread may call it.
  std::int64_t sum() const;
  /// Whether all ranks of the communicator run on one machine node.
  bool has_all() const { return has_all_; }

 private:
  /// A count that ranks share must not need a lock of its own.
  using Count = std::atomic<std::int64_t>;
  static_assert(Count::is_always_lock_free);

  NodeMemory memory_;
  /// The count of this rank, and those of the others of its machine node.
  std::vector<Count*> counts_;
  bool has_all_ = true;
};

}  // namespace tessera::app
