// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/pipeline/run/bindings.hpp"
#include "tessera/view/distributed_view.hpp"
#include "tessera/view/exchange.hpp"

namespace tessera {

/// A plan that is ready to run on the ranks of a communicator. An instance owns a communicator, an execution
/// space, and the buffers of the plan, except for the arrays of ArrayMemory::bound. It may run any number of
/// times, and allocates nothing while it runs. Functions that use such an array throw InternalError until a
/// block is bound.
class PlanInstance {
 public:
  /// Allocates and prepares everything that the plan needs. Collective. Every rank passes its own plan, and
  /// the plans of all ranks must come from the same pipeline and schedule. Two host threads may run two
  /// instances at the same time if `mode` is HostMode::calling_thread for both instances. `memory` says which
  /// memory is used for the arrays; no other instance may use it at the same time. Throws InputError
  /// on all ranks if a rank cannot allocate its memory. Throws InternalError if the plan is for another rank
  /// or another number of ranks, or if `bind` refuses an array of ArrayMemory::bound.
  PlanInstance(const Algorithm& pipeline, const Plan& plan, MPI_Comm communicator,
               const Transport& transport = {}, HostMode mode = HostMode::kernels, ArrayMemory memory = {});
  ~PlanInstance();
  /// Takes over the plan, the memory and the communicator of another instance, which must not be used any
  /// more.
  PlanInstance(PlanInstance&&) noexcept;

  /// Runs all steps of the plan: reads the inputs, computes the stages and writes the outputs. Collective.
  void run(const Bindings& bindings, const StepObserver& observer = {});

  /// Runs only the steps between reading and writing, such as exchanges and the computation of stages. All
  /// stages are computed again from the present values of the inputs. The results are complete when the call
  /// returns. Collective.
  void compute(const StepObserver& observer = {});

  /// Runs only the steps that read inputs. If MPI was initialized with MPI_THREAD_MULTIPLE, this function may
  /// be called while another thread computes another instance. Collective.
  void read(const Bindings& bindings);
  /// Runs only the steps that write outputs. If MPI was initialized with MPI_THREAD_MULTIPLE, this function
  /// may be called while another thread computes another instance. Collective.
  void write(const Bindings& bindings);

  /// Makes all later runs of this instance continue global reductions that other plans have begun. A
  /// reduction that this plan computes begins with its partial value in `carried`, and its new partial value
  /// is stored there. If another plan has computed a reduction and this plan only reads its result, the
  /// result is computed from the partial value in `carried`. `carried` must outlive the instance.
  void carry(CarriedValues& carried);

  /// The number of steps of the plan. A step inside a loop counts once, although the observer of a run is
  /// called with this step in every turn.
  int step_count() const;

  /// Fills this rank's owned block of the input `name` from `source`.
  void load(std::string_view name, BlockSource& source);

  /// Passes this rank's owned block of the input or output `name` to `sink`. Throws InternalError for all
  /// other arrays, because their memory may have been used again for other arrays.
  void store(std::string_view name, BlockSink& sink);

  /// Reads or computes the input or output `name` in the memory of `block` from now on, and no longer in the
  /// memory of the instance. The block must have the points of `points_in_memory`, or more. Nothing is copied
  /// or allocated, so that this function can be called before each computation. Throws InternalError for
  /// arrays that are neither inputs nor outputs, and for those that the plan does not use or that loops feed.
  /// It also throws InternalError for plans of several ranks or for devices, and for blocks that do not
  /// fit.
  void bind(std::string_view name, const Block<Kokkos::HostSpace>& block);

  /// Returns this rank's part of the input or output `name` as a view of T in N dimensions. If loops feed the
  /// array, a run may move it to other memory, so that this function must be called again after each run.
  /// Throws InternalError if the pipeline has no such input or output, if the array has another element type
  /// than T or another number of dimensions than N, or if the array is the result of a global reduction.
  template <class T, int N>
  DistributedView<T, N> view(std::string_view name) const {
    const ArrayId id = checked_id(name, element_type_of<T>(), N);
    const ArrayRegions& regions = plan().stages[id];
    const BlockDistribution distribution(regions.domain, regions.nominal, regions.grid, regions.slicing);
    return DistributedView<T, N>(std::string(name), distribution, plan().rank, written_block(id));
  }

  /// The plan of this rank.
  const Plan& plan() const;
  /// Returns the memory of all arrays. Another instance may use it when this one has been destroyed.
  ArrayMemory memory() const;

 private:
  struct Impl;

  /// Returns the block of memory that holds what this rank computes or reads of an array.
  const Block<>& written_block(ArrayId id) const;
  /// Returns the id of the input or output `name`. Throws the exceptions of view().
  ArrayId checked_id(std::string_view name, ElementType type, int dimensions) const;

  std::unique_ptr<Impl> impl_;
};

/// Returns the points that `plan` keeps in memory of the array `name`. Points outside the domain, which
/// boundary conditions fill, are included. The box is empty if the plan does not use the array.
Box points_in_memory(const Algorithm& pipeline, const Plan& plan, std::string_view name);

/// Returns the layout of the array `name` in `plan`. It also has the points of `more`, so that a block with
/// this layout can be bound in the plan of another pipeline, too, which reads the array. The plan must use
/// the array.
BlockLayout layout_in_memory(const Algorithm& pipeline, const Plan& plan, std::string_view name,
                             const Box& more = {});

/// Returns the bytes of memory that an instance of `plan` has if blocks are bound to the arrays `bound` (see
/// ArrayMemory::bound).
std::int64_t bytes_besides(const Algorithm& pipeline, const Plan& plan,
                           const std::vector<std::string>& bound);

}  // namespace tessera
