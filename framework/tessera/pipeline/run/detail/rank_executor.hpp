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

/// The memory of one rank of a plan, and the steps that need no other rank. Runs and rehearsals both use it.
class RankExecutor {
 public:
  /// Allocates the memory that the plan needs. Throws the exception of Kokkos when that is not possible.
  RankExecutor(const Algorithm& pipeline, const Plan& plan, HostMode mode = HostMode::kernels);
  ~RankExecutor();

  const Algorithm& pipeline() const { return pipeline_; }
  const Plan& plan() const { return plan_; }
  const ExecutionSpace& execution() const { return execution_; }
  HostMode mode() const { return mode_; }
  /// The block in which the rank computes an array, or into which it reads it.
  const Block<>& written_block(int array) const;
  const ArrayPlaces& arrays() const { return arrays_; }
  /// The number of the buffer that the stage of each array writes at the moment, by the array's id.
  const std::vector<int>& written_buffers() const { return written_buffer_; }
  /// A buffer of the plan.
  ArrayReference buffer(int number) const { return blocks_[static_cast<std::size_t>(number)].reference(); }
  /// Forgets all contributions to reductions. Must be called before a run, as one that ended early may have
  /// left some.
  void clear_partial_values();
  /// This rank's partial values of a global reduction; null for other stages.
  PartialValues* partial_values(int stage) { return partials_[static_cast<std::size_t>(stage)].get(); }

  /// Runs a leaf that needs no other rank: a read, write, boundary, stage or swap. Its kernels are enqueued
  /// on the execution space; on hosts a stage is complete on return. Throws the exceptions of sources and
  /// sinks, and InternalError for other kinds of nodes and when a checked access leaves its footprint.
  void run(const PlanNode& leaf, const Bindings& bindings);

  /// Reads a box of an array from `source`, whatever the bindings of a run are.
  void read(const plan::Read& step, BlockSource& source);
  /// Writes a box of an array to `sink`, whatever the bindings of a run are.
  void write(const plan::Write& step, BlockSink& sink);

  /// Stores a joined value as the result of a global reduction.
  void store_result(int stage, const std::byte* value);

  /// Returns the first element of an array, on which a loop depends. Waits for all kernels that were
  /// enqueued.
  double number(int array) const;

 private:
  void allocate();
  void prepare(const PlanNode& node);
  void fill(const plan::FillBoundary& step);
  void compute(const PlanNode& node, const plan::Compute& step);
  void compute_tiles(const TileProgram& program);
  void launch(const TileProgram& program);
  void swap(const plan::Swap& step);
  /// The memory in which kernels read the result of a global reduction.
  std::byte* result_place(int array) const;
  [[noreturn]] void fail(const AccessViolation& violation) const;

  Algorithm pipeline_;
  Plan plan_;
  /// The part of each array that the plan is for.
  Window window_;
  HostMode mode_;
  ExecutionSpace execution_;
  /// The execution space of the host. It is made once, because newer versions of Kokkos allocate to make one.
  HostExecutionSpace host_execution_;
  Kokkos::View<std::byte*, MemorySpace> memory_;
  /// The block of each buffer of the plan, by the buffer's number.
  std::vector<Block<>> blocks_;
  /// The number of the buffer that each array is written to, by the array's id. Swaps exchange these numbers,
  /// and the places of the arrays.
  std::vector<int> written_buffer_;
  ArrayPlaces arrays_;
  /// The programs and launches of compute nodes, by node id; null for other nodes.
  std::vector<std::unique_ptr<TileProgram>> programs_;
  std::vector<std::unique_ptr<GroupLaunch>> groups_;
  /// The partial values of each global reduction, by its id; null for other stages.
  std::vector<std::unique_ptr<PartialValues>> partials_;
  /// Memory for the largest result of a global reduction, on its way to the place where kernels read it.
  std::vector<std::byte> result_;
  TileLoop tiles_;
  /// The places for contributions of the node that runs. They are a member so that they are allocated once.
  std::vector<PartialPlace> partial_places_;
  /// Devices: the arrays that the stage that runs reads and writes. They are members so that they are
  /// allocated once.
  std::vector<ArrayReference> launch_inputs_;
  std::vector<ArrayReference> launch_outputs_;
};

}  // namespace tessera
