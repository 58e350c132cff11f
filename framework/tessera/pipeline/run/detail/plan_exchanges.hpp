// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "tessera/pipeline/run/detail/rank_executor.hpp"
#include "tessera/view/exchange.hpp"

namespace tessera {

/// The messages of all exchanges of a plan. Swaps change the buffers of arrays. The messages of an exchange
/// are therefore prepared for each way in which its arrays may lie in buffers (see arrangements).
class PlanExchanges {
 public:
  /// Prepares all messages. Collective if the transport uses shared windows. The executor must outlive this
  /// object.
  PlanExchanges(const RankExecutor& executor, MPI_Comm communicator, const Transport& transport);

  /// Starts the exchange of `node` with the buffers in which its arrays are at the moment.
  void start(const PlanNode& node);
  /// Finishes the exchange that was started last at the node with the id `node`.
  void finish(int node);

 private:
  void prepare(const PlanNode& node, std::vector<int> buffers, MPI_Comm communicator,
               const Transport& transport);
  /// Returns the messages for the buffers in which the arrays are at the moment, or null if none are
  /// prepared.
  Exchange* find(const PlanNode& node) const;

  const RankExecutor& executor_;
  /// The messages of an exchange for one way in which its arrays may lie in buffers.
  struct Arranged {
    std::vector<int> buffers;
    std::unique_ptr<Exchange> exchange;
  };
  struct NodeExchanges {
    std::vector<Arranged> arranged;
    Exchange* under_way = nullptr;
  };
  /// The exchanges of each node, by node id. The entries of nodes that exchange nothing are empty.
  std::vector<NodeExchanges> nodes_;
};

}  // namespace tessera
