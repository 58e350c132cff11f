// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "tessera/pipeline/run/detail/rank_executor.hpp"
#include "tessera/view/exchange.hpp"

namespace tessera {

/// The messages of all exchanges of a plan, prepared once for each of the buffers that swaps may give to the
/// arrays of an exchange.
class PlanExchanges {
 public:
  /// Collective if the transport uses shared windows. The executor must outlive it.
  PlanExchanges(const RankExecutor& executor, MPI_Comm communicator, const Transport& transport);

  /// Starts the exchange of a node between the buffers that its arrays have now.
  void start(const PlanNode& node);
  /// Finishes the exchange that was started last at the node of this id.
  void finish(int node);

 private:
  void prepare(const PlanNode& node, std::vector<int> buffers, MPI_Comm communicator,
               const Transport& transport);
  /// Null when no messages are prepared for the buffers that the arrays have now.
  Exchange* find(const PlanNode& node) const;

  const RankExecutor& executor_;
  /// An exchange of arrays that have these buffers.
  struct Arranged {
    std::vector<int> buffers;
    std::unique_ptr<Exchange> exchange;
  };
  struct NodeExchanges {
    std::vector<Arranged> arranged;
    Exchange* under_way = nullptr;
  };
  /// By node id; empty for nodes that exchange nothing.
  std::vector<NodeExchanges> nodes_;
};

}  // namespace tessera
