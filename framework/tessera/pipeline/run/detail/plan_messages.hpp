// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>
#include <span>
#include <vector>

#include "tessera/pipeline/run/bindings.hpp"
#include "tessera/pipeline/run/detail/rank_executor.hpp"
#include "tessera/view/exchange.hpp"
#include "tessera/view/mpi_objects.hpp"

namespace tessera {

/// The messages of all exchanges of a plan. Swaps change the buffers of arrays. The messages of an exchange
/// are therefore prepared for each arrangement of its arrays in buffers (see arrangements).
class PlanExchanges {
 public:
  /// Prepares all messages. Collective if the transport uses shared windows. The executor must outlive this
  /// object.
  PlanExchanges(const RankExecutor& executor, MPI_Comm communicator, const Transport& transport);

  /// Starts the exchange of `node` with the present buffers of its arrays.
  void start(const PlanNode& node);
  /// Finishes the exchange that was started last at the node with the id `node`.
  void finish(int node);

 private:
  void prepare(const PlanNode& node, std::vector<BufferId> buffers, MPI_Comm communicator,
               const Transport& transport);
  /// Returns the messages for the present buffers of the arrays, or null if none are prepared.
  Exchange* find(const PlanNode& node) const;

  const RankExecutor& executor_;
  /// The messages of an exchange for one arrangement of its arrays in buffers.
  struct Arranged {
    std::vector<BufferId> buffers;
    std::unique_ptr<Exchange> exchange;
  };
  struct NodeExchanges {
    std::vector<Arranged> arranged;
    Exchange* under_way = nullptr;
  };
  /// The exchanges of each node, by node id. The entries of nodes that exchange nothing are empty.
  std::vector<NodeExchanges> nodes_;
};

/// The global reductions of a plan, which join the contributions of all ranks over MPI.
class PlanReductions {
 public:
  /// Prepares the reductions. The executor and the communicator must outlive this object.
  PlanReductions(RankExecutor& executor, MPI_Comm communicator);

  /// Makes later runs continue global reductions from the values in `carried` (see PlanInstance::carry).
  void carry(CarriedValues& carried) { carried_ = &carried; }
  /// Forgets the contributions of earlier runs. This function must be called before the first contribution of
  /// a run.
  void begin();
  /// Runs reductions that follow each other in the plan. Their messages are sent at the same time.
  /// Collective.
  void run(std::span<const PlanNode> nodes, const StepObserver& observer);
  /// Starts to join the contributions of all ranks to the reduction `stage`. Collective.
  void start(ArrayId stage);
  /// Waits for all reductions that were started, and stores the result of the reduction `stage`.
  void finish(ArrayId stage);
  /// Forgets the contributions to the reduction `stage`.
  void drop(ArrayId stage) { executor_.partial_values(stage)->clear(); }

 private:
  void begin_with_carried_values();
  void wait_for_all();
  void store_total(ArrayId stage);

  RankExecutor& executor_;
  MPI_Comm communicator_;
  /// The reductions; null for arrays that are not global reductions.
  IdVector<ArrayId, std::unique_ptr<ValueReduction>> reductions_;
  /// The requests of reductions that are under way. The list is a member, so that its memory is allocated
  /// only once.
  std::vector<MPI_Request> requests_;
  CarriedValues* carried_ = nullptr;
};

}  // namespace tessera
