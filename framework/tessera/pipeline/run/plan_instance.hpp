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

/// A plan made ready to run on the ranks of a communicator: it owns its buffers, its communicator and its
/// execution space. Made once, run any number of times; nothing is allocated while it runs.
class PlanInstance {
 public:
  /// Collective: every rank gives the plan of its own rank, made from the same pipeline and schedule.
  /// Two instances may run at once, from two host threads, if both compute on their calling threads.
  PlanInstance(const Algorithm& pipeline, const Plan& plan, MPI_Comm communicator,
               const Transport& transport = {}, HostMode mode = HostMode::kernels);
  ~PlanInstance();
  PlanInstance(PlanInstance&&) noexcept;

  /// All steps: reads inputs, computes, writes outputs. Collective.
  void run(const Bindings& bindings, const StepObserver& observer = {});

  /// Runs only what lies between reading and writing: exchanges, boundaries and stages. Inputs are taken as
  /// changed. Collective; done on return.
  void compute(const StepObserver& observer = {});

  /// These run only the reading, and only the writing, which may go on in another thread while another
  /// instance computes, if MPI was started for several threads. Collective.
  void read(const Bindings& bindings);
  void write(const Bindings& bindings);

  /// Global reductions go on from what came out of the plans before, and those that the plan leaves out have
  /// it as their result. It must outlive the instance.
  void carry(CarriedValues& carried);

  /// Steps of the plan; each is reported to the observer of a run, those of loops again and again.
  int step_count() const;

  /// Fills the block that this rank owns of an input from `source`.
  void load(std::string_view name, BlockSource& source);

  /// Hands the block that this rank owns of an input or output to `sink`. Other arrays may have given their
  /// memory to later ones.
  void store(std::string_view name, BlockSink& sink);

  /// This rank's part of an input or output, typed. Throws InternalError when the name,
  /// the type or the number of dimensions is not the pipeline's. Of what a loop feeds it is the part of now:
  /// a run may leave it in other memory.
  template <class T, int N>
  DistributedView<T, N> view(std::string_view name) const {
    const int id = checked_id(name, element_type_of<T>(), N);
    const ArrayRegions& regions = plan().stages[static_cast<std::size_t>(id)];
    const BlockDistribution distribution(regions.domain, regions.nominal, regions.grid, regions.slicing);
    return DistributedView<T, N>(std::string(name), distribution, plan().rank, written_block(id));
  }

  const Plan& plan() const;

 private:
  class Impl;

  /// The block in which the rank holds what it computes, or reads from files, of an array.
  const Block<>& written_block(int id) const;
  /// The id of an input or output that has this type and so many dimensions.
  int checked_id(std::string_view name, ElementType type, int dimensions) const;

  std::unique_ptr<Impl> impl_;
};

}  // namespace tessera
