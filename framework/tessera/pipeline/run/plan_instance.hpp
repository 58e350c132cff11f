// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>
#include <string_view>

#include "tessera/pipeline/run/bindings.hpp"
#include "tessera/pipeline/run/carried_values.hpp"
#include "tessera/view/distributed_view.hpp"
#include "tessera/view/exchange.hpp"

namespace tessera {

/// A plan that is ready to run on the ranks of a communicator. It owns its buffers, a communicator and an
/// execution space. It is made once and may run any number of times; nothing is allocated while it runs.
class PlanInstance {
 public:
  /// Allocates and prepares all that the plan needs. Collective: every rank gives the plan of its own rank,
  /// and all plans are made from the same pipeline and schedule. Two instances may run at once, from two host
  /// threads, if both compute on their calling threads. Throws InputError on all ranks when a rank cannot
  /// have the memory, and InternalError when the plan is for another rank or rank count.
  PlanInstance(const Algorithm& pipeline, const Plan& plan, MPI_Comm communicator,
               const Transport& transport = {}, HostMode mode = HostMode::kernels);
  ~PlanInstance();
  /// Takes over the plan, the memory and the communicator of another instance, which must not be used any
  /// more.
  PlanInstance(PlanInstance&&) noexcept;

  /// Runs all steps: reads the inputs, computes and writes the outputs. Collective.
  void run(const Bindings& bindings, const StepObserver& observer = {});

  /// Runs only the steps between reading and writing: exchanges, boundaries and stages. Everything is
  /// computed anew from the inputs as they are now. Collective; the results are complete on return.
  void compute(const StepObserver& observer = {});

  /// Runs only the steps that read inputs. They may run in another thread while another instance computes, if
  /// MPI was started for several threads. Collective.
  void read(const Bindings& bindings);
  /// Runs only the steps that write outputs. They may run in another thread while another instance computes,
  /// if MPI was started for several threads. Collective.
  void write(const Bindings& bindings);

  /// Makes global reductions go on from the values that earlier plans left in `carried`, and puts their new
  /// values there. Reductions that this plan leaves out have the carried value as their result. `carried`
  /// must outlive the instance.
  void carry(CarriedValues& carried);

  /// The number of steps of the plan. Each is reported to the observer of a run whenever it begins, so that
  /// steps of loops are reported in every turn.
  int step_count() const;

  /// Fills this rank's owned block of the input `name` from `source`.
  void load(std::string_view name, BlockSource& source);

  /// Hands this rank's owned block of the input or output `name` to `sink`. Throws InternalError for other
  /// arrays, whose memory may hold later arrays by now.
  void store(std::string_view name, BlockSink& sink);

  /// Returns this rank's part of the input or output `name` as a view of T in N dimensions. Throws
  /// InternalError when the pipeline has no such array, when T or N is not the array's, or when the array is
  /// the result of a global reduction. A run may move an array that a loop feeds to other memory: take a new
  /// view after it.
  template <class T, int N>
  DistributedView<T, N> view(std::string_view name) const {
    const int id = checked_id(name, element_type_of<T>(), N);
    const ArrayRegions& regions = plan().stages[static_cast<std::size_t>(id)];
    const BlockDistribution distribution(regions.domain, regions.nominal, regions.grid, regions.slicing);
    return DistributedView<T, N>(std::string(name), distribution, plan().rank, written_block(id));
  }

  /// The plan of this rank.
  const Plan& plan() const;

 private:
  class Impl;

  /// The block in which the rank computes an array, or into which it reads it.
  const Block<>& written_block(int id) const;
  /// Returns the id of the input or output `name`, and throws as view() does.
  int checked_id(std::string_view name, ElementType type, int dimensions) const;

  std::unique_ptr<Impl> impl_;
};

}  // namespace tessera
