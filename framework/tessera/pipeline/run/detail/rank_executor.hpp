// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "tessera/pipeline/plan/plan.hpp"
#include "tessera/pipeline/run/bindings.hpp"
#include "tessera/pipeline/run/detail/tile_loop.hpp"
#include "tessera/view/block.hpp"

namespace tessera {

/// Launches the kernel of a device that computes all members of a compute node. The tiles of the node and the
/// addresses of its arrays are kept in the memory of the device.
class GroupLaunch {
 public:
  GroupLaunch(const Algorithm& pipeline, const TileProgram& program, const ArrayPlaces& arrays,
              const ExecutionSpace& execution);

  /// Updates the addresses of the arrays. This function must be called after a swap has changed them.
  void place(const ArrayPlaces& arrays, const ExecutionSpace& execution);

  /// Enqueues the kernel on the execution space.
  void run(const ExecutionSpace& execution) const;

 private:
  /// An array in memory that the kernel reads or writes.
  struct Use {
    ArrayId array;
    bool is_read;
  };

  const GroupKernel* kernel_;
  std::vector<Use> uses_;
  std::vector<GroupArray> host_arrays_;
  Kokkos::View<Box*, MemorySpace> boxes_;
  Kokkos::View<GroupArray*, MemorySpace> arrays_;
  GroupTiles tiles_;
};

/// The buffers of a rank.
struct RankBuffers {
  /// The block of each buffer of the plan.
  IdVector<BufferId, Block<>> blocks;
  /// The buffers that hold the computed points of each array, and the points that consumers read. Swaps
  /// exchange these entries, and those of RankExecutor::arrays().
  IdVector<ArrayId, BufferId> written;
  IdVector<ArrayId, BufferId> read;
};

/// The staging memory of one rank (see is_staged), which holds copies of the arrays of staged stages. The
/// host and the device can access it. One stage uses it at a time.
class HostStaging {
 public:
  /// Allocates the memory that the staged stages of the plan need.
  HostStaging(const Algorithm& pipeline, const Plan& plan);

  /// Copies what `step` reads to the staging memory, after all work that was enqueued on `execution` before.
  /// Returns when the copies are complete. The result has the places of the copies of the arrays of `step`.
  const ArrayPlaces& fetch(const ExecutionSpace& execution, const plan::Compute& step,
                           const RankBuffers& buffers);

  /// Enqueues on `execution` copies of what `step` has computed, from the staging memory to the buffers.
  void store(const ExecutionSpace& execution, const plan::Compute& step, const RankBuffers& buffers) const;

 private:
  /// The arrays of each staged stage.
  IdVector<ArrayId, std::vector<StagedArray>> arrays_;
  Kokkos::View<std::byte*, compat::HostPinnedSpace> memory_;
  ArrayPlaces places_;
};

/// Holds the memory of one rank, and runs the steps of its plan that need no other rank. This class is used
/// by runs and by rehearsals.
class RankExecutor {
 public:
  /// Allocates the memory that the plan needs, or uses `memory` again. Throws the exception of Kokkos if an
  /// allocation fails.
  RankExecutor(const Algorithm& pipeline, const Plan& plan, HostMode mode = HostMode::kernels,
               ArrayMemory memory = {});
  ~RankExecutor();

  const Algorithm& pipeline() const { return pipeline_; }
  const Plan& plan() const { return plan_; }
  const ExecutionSpace& execution() const { return execution_; }
  HostMode mode() const { return mode_; }
  /// Returns the memory of all arrays.
  ArrayMemory memory() const { return {memory_}; }
  /// Returns the block that holds the points which the rank computes of an array, or reads of an input.
  /// Throws InternalError if the array has no memory before the caller binds a block to it.
  const Block<>& written_block(ArrayId array) const;
  /// Computes or reads an array in the memory of `block` from now on (see PlanInstance::bind).
  void bind(ArrayId array, const Block<Kokkos::HostSpace>& block);
  const ArrayPlaces& arrays() const { return arrays_; }
  /// Returns the buffer that holds the computed points of each array at the moment.
  const IdVector<ArrayId, BufferId>& written_buffers() const { return buffers_.written; }
  /// Returns the memory of a buffer of the plan.
  ArrayReference buffer(BufferId id) const { return buffers_.blocks[id].reference(); }
  /// Forgets all contributions to reductions. This function must be called before each run, because a run
  /// that ended early may have left contributions.
  void clear_partial_values();
  /// Returns the partial values of a global reduction on this rank; null for other stages.
  PartialValues* partial_values(ArrayId stage) { return partials_[stage].get(); }

  /// Throws InternalError if an array has no memory because the caller has not bound a block to it.
  void check_bound() const;
  /// Throws InternalError if an array is neither input nor output, since its memory may be used for others.
  void check_kept(ArrayId array) const;

  /// Runs a leaf that needs no other rank: a Read, Write, FillBoundary, Compute or Swap step. Kernels are
  /// enqueued on the execution space. On hosts, a Compute step is complete when the function returns. Throws
  /// the exceptions of sources and sinks. Throws InternalError for other kinds of nodes, and when a checked
  /// access is outside its footprint.
  void run(const PlanNode& leaf, const Bindings& bindings);

  /// Reads a box of an array from `source`. The bindings of a run are not used.
  void read(const plan::Read& step, BlockSource& source);
  /// Writes a box of an array to `sink`. The bindings of a run are not used.
  void write(const plan::Write& step, BlockSink& sink);

  /// Stores a joined value as the result of a global reduction.
  void store_result(ArrayId stage, const std::byte* value);

  /// Returns the first element of `array`. Waits for all kernels that were enqueued.
  double number(ArrayId array) const;

 private:
  /// Makes the blocks of all buffers that the caller will not bind, in `memory` or in new memory.
  void allocate(ArrayMemory memory);
  /// Makes the block of each buffer at its offset. If the memory is new, the threads `touched_by` touch it
  /// first. A buffer with a negative offset gets no block.
  void make_blocks(const IdVector<BufferId, std::int64_t>& offsets, bool is_new, HostMode touched_by);
  void place_arrays();
  void make_partial_values();
  /// Throws InternalError if an array can never be bound.
  void check_bindable(ArrayId array) const;
  [[noreturn]] void refuse_binding(ArrayId array, const std::string& reason) const;
  [[noreturn]] void refuse_unbound(ArrayId array) const;
  void prepare(const PlanNode& node);
  void fill(const plan::FillBoundary& step);
  void compute(const PlanNode& node, const plan::Compute& step);
  /// Computes the tiles of a node on the threads of the host, in the memory that `arrays` names.
  void compute_tiles(const TileProgram& program, const ArrayPlaces& arrays);
  void compute_staged(const TileProgram& program);
  void launch(const TileProgram& program);
  void swap(const plan::Swap& step);
  /// Returns the address of the first point of an array, such as the result of a global reduction, in the
  /// memory of kernels.
  std::byte* result_place(ArrayId array) const;
  [[noreturn]] void fail(const AccessViolation& violation) const;

  Algorithm pipeline_;
  Plan plan_;
  /// The window of the plan.
  Window window_;
  HostMode mode_;
  ExecutionSpace execution_;
  /// The execution space of the host. It is made only once, because newer versions of Kokkos allocate memory
  /// for each execution space.
  HostExecutionSpace host_execution_;
  Kokkos::View<std::byte*, MemorySpace> memory_;
  RankBuffers buffers_;
  /// The ids of the arrays that have no memory before the caller binds a block to them.
  std::vector<ArrayId> unbound_;
  ArrayPlaces arrays_;
  /// The host memory of the stages that threads of the host compute in plans for devices.
  HostStaging staging_;
  /// The programs and the launches of compute nodes, by node id; null for other nodes.
  std::vector<std::unique_ptr<TileProgram>> programs_;
  std::vector<std::unique_ptr<GroupLaunch>> groups_;
  /// The partial values of each global reduction; null for other arrays.
  IdVector<ArrayId, std::unique_ptr<PartialValues>> partials_;
  /// Host memory for the result of a global reduction, which is then copied to the memory of kernels. The
  /// size is that of the largest result.
  std::vector<std::byte> result_;
  TileLoop tiles_;
  /// The memory for contributions of the compute node that is running. The list is a member, so that it is
  /// allocated only once.
  std::vector<PartialPlace> partial_places_;
  /// The arrays that the running stage reads and writes on a device. The lists are members, so that they are
  /// allocated only once.
  std::vector<ArrayReference> launch_inputs_;
  std::vector<ArrayReference> launch_outputs_;
};

}  // namespace tessera
