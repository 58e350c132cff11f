// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "tessera/pipeline/run/detail/rank_executor.hpp"
#include "tessera/view/exchange.hpp"

namespace tessera {

/// The messages of all exchanges of a plan. They are prepared once for each assignment of buffers to the
/// arrays of an exchange to which swaps lead (see arrangements).
class PlanExchanges {
 public:
  /// Prepares all messages. Collective if the transport uses shared windows. The executor must outlive this
  /// object.
  PlanExchanges(const RankExecutor& executor, MPI_Comm communicator, const Transport& transport);

  /// Starts the exchange of a node between the buffers that its arrays have now.
  void start(const PlanNode& node);
  /// Finishes the exchange that was started last at the node of this id.
  void finish(int node);

 private:
  void prepare(const PlanNode& node, std::vector<int> buffers, MPI_Comm communicator,
               const Transport& transport);
  /// Returns the messages for the buffers that the arrays have now, or null when none are prepared.
  Exchange* find(const PlanNode& node) const;

  const RankExecutor& executor_;
  /// The messages of an exchange while its arrays have these buffers.
  struct Arranged {
    std::vector<int> buffers;
    std::unique_ptr<Exchange> exchange;
  };
  struct NodeExchanges {
    std::vector<Arranged> arranged;
    Exchange* under_way = nullptr;
  };
  /// The exchanges of each node, by its id; empty for nodes that exchange nothing.
  std::vector<NodeExchanges> nodes_;
};

}  // namespace tessera
