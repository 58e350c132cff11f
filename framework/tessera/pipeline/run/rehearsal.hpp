// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "tessera/pipeline/run/bindings.hpp"
#include "tessera/pipeline/run/loop_turns.hpp"
#include "tessera/pipeline/run/rank_executor.hpp"

namespace tessera {

/// All ranks of a run inside one process, without MPI: the steps of their plans side by side, messages as
/// copies. Tests try 64 ranks with it in a second.
class Rehearsal {
 public:
  /// Takes the plans of all ranks, in order: those of make_plans, or from a file. Throws InternalError when a
  /// rank sends a message that no rank receives, or expects one that no rank sends.
  Rehearsal(const Algorithm& pipeline, const std::vector<Plan>& plans);

  /// Reads inputs, computes, writes outputs: sources and sinks are called once per rank.
  void run(const Bindings& bindings);

  const Plan& plan(int rank) const { return ranks_[static_cast<std::size_t>(rank)]->plan(); }
  int rank_count() const { return static_cast<int>(ranks_.size()); }

 private:
  using Nodes = std::vector<const PlanNode*>;

  void check_messages() const;
  void check_exchange(const Nodes& exchanges) const;
  /// The same node of all ranks' plans, which have the same shape.
  void run_node(const Nodes& nodes, const Bindings& bindings);
  void run_children(const Nodes& nodes, const Bindings& bindings);
  void run_leaf(const Nodes& nodes, const Bindings& bindings);
  void exchange(int rank, const plan::Exchange& step);
  void reduce(int stage);
  void run_overlapping(const Nodes& nodes, const Bindings& bindings);
  void start_reduction(int stage);

  std::vector<std::unique_ptr<RankExecutor>> ranks_;
  /// Of the loop of rounds that ended last.
  CountedTurns turns_;
};

}  // namespace tessera
