// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "tessera/pipeline/run/bindings.hpp"
#include "tessera/pipeline/run/detail/group_launch.hpp"
#include "tessera/pipeline/run/detail/partial_values.hpp"
#include "tessera/pipeline/run/detail/tile_loop.hpp"
#include "tessera/view/block.hpp"

namespace tessera {

/// The memory of one rank of a plan, and the steps that need no other rank. Runs and rehearsals share it.
class RankExecutor {
 public:
  /// Allocates what the plan says. Throws what Kokkos throws when the memory cannot be had.
  RankExecutor(const Algorithm& pipeline, const Plan& plan, HostMode mode = HostMode::kernels);
  ~RankExecutor();

  const Algorithm& pipeline() const { return pipeline_; }
  const Plan& plan() const { return plan_; }
  const ExecutionSpace& execution() const { return execution_; }
  HostMode mode() const { return mode_; }
  /// Where a rank holds what it computes, or reads from files, of an array.
  const Block<>& written_block(int array) const;
  const ArrayPlaces& arrays() const { return arrays_; }
  /// By array: the buffer that its stage writes, at the moment.
  const std::vector<int>& written_buffers() const { return written_buffer_; }
  /// A buffer of the plan.
  ArrayReference buffer(int number) const { return blocks_[static_cast<std::size_t>(number)].reference(); }
  /// Before a run: one that ended early may have left some.
  void clear_partial_values();
  /// This rank's part of a global reduction: null for other stages.
  PartialValues* partial_values(int stage) { return partials_[static_cast<std::size_t>(stage)].get(); }

  /// Runs a leaf that needs no other rank: reads, writes, boundaries, stages, swaps. Enqueued on the
  /// execution space; on hosts a stage is done on return. Throws what sources and sinks throw, and
  /// InternalError for other kinds of nodes and when a checked access left its footprint.
  void run(const PlanNode& leaf, const Bindings& bindings);

  /// Reads a box of an array from the source, and writes one to the sink, whatever the bindings of a run are.
  void read(const plan::Read& step, BlockSource& source);
  void write(const plan::Write& step, BlockSink& sink);

  /// A joined value becomes the result of a global reduction.
  void store_result(int stage, const std::byte* value);

  /// The first element of an array: what a loop goes by. Waits for what was enqueued.
  double number(int array) const;

 private:
  void allocate();
  void prepare(const PlanNode& node);
  void fill(const plan::FillBoundary& step);
  void compute(const PlanNode& node, const plan::Compute& step);
  void compute_tiles(const TileProgram& program);
  void launch(const TileProgram& program);
  void swap(const plan::Swap& step);
  /// Where kernels read the result of a global reduction.
  std::byte* result_place(int array) const;
  [[noreturn]] void fail(const AccessViolation& violation) const;

  Algorithm pipeline_;
  Plan plan_;
  /// What the plan is for.
  Window window_;
  HostMode mode_;
  ExecutionSpace execution_;
  /// Made once: newer versions of Kokkos allocate to make one.
  HostExecutionSpace host_execution_;
  Kokkos::View<std::byte*, MemorySpace> memory_;
  /// By buffer of the plan.
  std::vector<Block<>> blocks_;
  /// By array: its buffers, which swaps exchange.
  std::vector<int> written_buffer_;
  ArrayPlaces arrays_;
  /// By node id; null for nodes that compute nothing.
  std::vector<std::unique_ptr<TileProgram>> programs_;
  std::vector<std::unique_ptr<GroupLaunch>> groups_;
  /// By stage.
  std::vector<std::unique_ptr<PartialValues>> partials_;
  /// On its way to where kernels read it: the largest result of a global reduction.
  std::vector<std::byte> result_;
  TileLoop tiles_;
  /// Those of the node at hand: kept, to allocate them once.
  std::vector<PartialPlace> partial_places_;
  /// What the stage at hand reads and writes (devices): kept, to allocate them once.
  std::vector<ArrayReference> launch_inputs_;
  std::vector<ArrayReference> launch_outputs_;
};

}  // namespace tessera
