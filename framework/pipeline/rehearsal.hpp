// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "tessera/pipeline/bindings.hpp"
#include "tessera/pipeline/rank_executor.hpp"

namespace tessera {

/// All ranks of a run inside one process, without MPI: the steps of their plans side by side, messages as
/// copies. Tests try 64 ranks with it in a second.
class Rehearsal {
 public:
  /// Plans every rank. Throws as make_plan, and InternalError when a message is sent that nobody receives, or
  /// expected that nobody sends.
  Rehearsal(const Pipeline& pipeline, const Schedule& schedule, const Target& target, int rank_count);

  /// Reads inputs, computes, writes outputs: sources and sinks are called once per rank.
  void run(const Bindings& bindings);

  const Plan& plan(int rank) const { return ranks_[static_cast<std::size_t>(rank)]->plan(); }
  int rank_count() const { return static_cast<int>(ranks_.size()); }

 private:
  void check_messages() const;
  void run_phase(const char* name, const Bindings& bindings);
  void run_step(RankExecutor& rank, const PlanNode& node, const Bindings& bindings);

  std::vector<std::unique_ptr<RankExecutor>> ranks_;
};

}  // namespace tessera
