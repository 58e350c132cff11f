// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <functional>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tessera/pipeline/plan/plan.hpp"
#include "tessera/pipeline/run/plan_instance.hpp"

namespace tessera {

/// A function that is called with each band before it is computed.
using BandObserver = std::function<void(const Band&)>;

/// Runs a pipeline one band after the other. While a band is computed, another thread may write the results
/// of the previous band and read the inputs of the next band. Sources are read and sinks are written in the
/// order of the bands.
class BandedRun {
 public:
  /// A function that returns this rank's plan of a band. Two threads never call this function at the same
  /// time.
  using PlanOf = std::function<Plan(const Band&)>;

  /// Prepares a run of `bands`, which must be the same on all ranks of `communicator`. `shown` is the plan
  /// that plan_with_bands returns for these bands. `pipeline` and `shown` must outlive this object.
  /// `overlaps` says whether another thread reads and writes while a band is computed. If so, MPI must have
  /// been initialized with MPI_THREAD_MULTIPLE.
  BandedRun(const Algorithm& pipeline, std::vector<Band> bands, PlanOf plan_of, const Plan& shown,
            MPI_Comm communicator, const Transport& transport, bool overlaps);

  /// Runs all bands. Collective. For each step that computes a band, `observer` is called with the
  /// corresponding step of the plan `shown` that the constructor took. Reading and writing are reported
  /// differently, because they may take place while a band is computed: `observer` is called with the read
  /// step before each wait for a band to be read, and once with the write step, before the last results are
  /// written.
  void run(const Bindings& bindings, const StepObserver& observer = {},
           const BandObserver& band_observer = {});

 private:
  /// Plans a band and makes its instance, in the memory of a band that has been written, if there is one.
  /// Otherwise the threads `touched_by` touch its memory first.
  std::unique_ptr<PlanInstance> make(const Band& band, HostMode touched_by);
  /// Starts to write the band that was computed last, if there is one, and to read the band with the number
  /// `coming`, if there is one, after making its instance unless it was made before. Returns a future for the
  /// end of this work. If `overlaps_` is false, the work is done only when the caller waits for the future.
  std::future<void> transfer(std::size_t coming, const Bindings& bindings);
  void report(const std::string& step, const StepObserver& observer) const;

  const Algorithm& pipeline_;
  std::vector<Band> bands_;
  PlanOf plan_of_;
  MPI_Comm communicator_;
  Transport transport_;
  bool overlaps_;
  CarriedValues carried_;
  /// The memory of the band that was written last, for the next instance. New memory is large enough for the
  /// bands that the plan `shown` stands for.
  ArrayMemory memory_;
  /// The steps of the plan `shown` by their labels, such as "compute bv". The first step of each kind is also
  /// found by its kind, such as "read".
  std::map<std::string, const PlanNode*> shown_;
  /// The instances of the band that is written, of the band that is computed and of the band that is read.
  /// These instances are not destroyed when a run fails, because the destruction of an instance is
  /// collective.
  std::unique_ptr<PlanInstance> last_;
  std::unique_ptr<PlanInstance> current_;
  std::unique_ptr<PlanInstance> next_;
  std::future<void> under_way_;
};

}  // namespace tessera
