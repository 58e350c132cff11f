// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>
#include <span>
#include <vector>

#include "tessera/pipeline/run/carried_values.hpp"
#include "tessera/pipeline/run/detail/rank_executor.hpp"
#include "tessera/view/value_reduction.hpp"

namespace tessera {

/// The global reductions of a plan: what its ranks contributed is joined over MPI.
class PlanReductions {
 public:
  /// The executor and the communicator must outlive it.
  PlanReductions(RankExecutor& executor, MPI_Comm communicator);

  /// See PlanInstance::carry.
  void carry(CarriedValues& carried) { carried_ = &carried; }
  /// Before the first contribution of a run.
  void begin();
  /// Joins reductions that follow each other: their messages travel side by side.
  void run(std::span<const PlanNode> nodes, const StepObserver& observer);
  /// Starts to join what has been contributed to a stage.
  void start(int stage);
  /// Waits for all reductions that were started, and stores the result of this one.
  void finish(int stage);
  /// Forgets what has been contributed to a stage.
  void drop(int stage) { executor_.partial_values(stage)->clear(); }

 private:
  void begin_with_carried_values();
  void wait_for_all();
  void store_total(int stage);

  RankExecutor& executor_;
  MPI_Comm communicator_;
  /// By stage; null for stages that are no global reductions.
  std::vector<std::unique_ptr<ValueReduction>> reductions_;
  /// Those of the reductions that are under way: kept, to allocate them once.
  std::vector<MPI_Request> requests_;
  CarriedValues* carried_ = nullptr;
};

}  // namespace tessera
