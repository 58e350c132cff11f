// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/pipeline/bindings.hpp"
#include "tessera/pipeline/tile_loop.hpp"
#include "tessera/view/block.hpp"
#include "tessera/view/distributed_view.hpp"

namespace tessera {

/// The memory of one rank of a plan, and the steps that need no other rank. Runs and rehearsals share it.
class RankExecutor {
 public:
  /// Allocates what the plan says. Throws what Kokkos throws when the memory cannot be had.
  RankExecutor(const Pipeline& pipeline, const Plan& plan);

  const Pipeline& pipeline() const { return pipeline_; }
  const Plan& plan() const { return plan_; }
  const ExecutionSpace& execution() const { return execution_; }
  const Block<>& block(int array) const { return blocks_[static_cast<std::size_t>(array)]; }
  const ArrayReference& array(int id) const { return arrays_[static_cast<std::size_t>(id)]; }

  /// Runs a leaf that needs no other rank: reads, writes, boundaries and stages. Others are left alone:
  /// memory is allocated already. Enqueued on the execution space; on hosts a stage is done on return. Throws
  /// what sources and sinks throw, and InternalError when a checked access left its footprint.
  void run(const PlanNode& leaf, const Bindings& bindings);

 private:
  void read(const plan::Read& step, BlockSource& source);
  void write(const plan::Write& step, BlockSink& sink);
  void fill(const plan::FillBoundary& step);
  void compute(const plan::Compute& step);
  /// A template, so that the branch for the other kind of execution space is not compiled.
  template <class Execution>
  void compute_on(const Execution& execution, const plan::Compute& step);
  [[noreturn]] void fail(const AccessViolation& violation) const;

  Pipeline pipeline_;
  Plan plan_;
  ExecutionSpace execution_;
  std::vector<Block<>> blocks_;
  std::vector<ArrayReference> arrays_;
  TileLoop tiles_;
};

}  // namespace tessera
