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

/// Runs a pipeline band after band. While one band is computed, another thread writes the results of the
/// previous band and reads the inputs of the next one. Sources are read and sinks are written in the order of
/// the bands.
class BandedRun {
 public:
  /// A function that makes this rank's plan of a band. It is called by one thread at a time.
  using PlanOf = std::function<Plan(const Band&)>;

  /// Prepares a run of `bands`, which must be the same on all ranks of `communicator`. `shown` is the plan
  /// that plan_with_bands made of the bands; it and `pipeline` must outlive this object. `overlaps` says
  /// whether reading and writing overlap computation, for which MPI must have been started for several
  /// threads.
  BandedRun(const Algorithm& pipeline, std::vector<Band> bands, PlanOf plan_of, const Plan& shown,
            MPI_Comm communicator, const Transport& transport, bool overlaps);

  /// Runs all bands. Collective. If the run overlaps reading and writing, another thread calls the sources
  /// and sinks. The observer gets, for each step of a band, the step of `shown` that corresponds to it; it is
  /// told of reading and writing when the run begins to wait for them.
  void run(const Bindings& bindings, const StepObserver& observer = {},
           const BandObserver& band_observer = {});

 private:
  std::unique_ptr<PlanInstance> open(const Band& band, const Bindings& bindings);
  /// Starts to write the last band that was computed, and to plan and read the band of this number, if there
  /// are any. Without overlap the work is done when its future is waited for.
  std::future<void> transfer(std::size_t coming, const Bindings& bindings);
  void report(const std::string& step, const StepObserver& observer) const;

  const Algorithm& pipeline_;
  std::vector<Band> bands_;
  PlanOf plan_of_;
  MPI_Comm communicator_;
  Transport transport_;
  bool overlaps_;
  CarriedValues carried_;
  /// The steps of the plan that is shown, by their labels, and the first of each kind by the kind.
  std::map<std::string, const PlanNode*> shown_;
  /// The instances of the bands that are written, computed and read. They are kept when a run fails, because
  /// ending an instance is collective.
  std::unique_ptr<PlanInstance> last_;
  std::unique_ptr<PlanInstance> current_;
  std::unique_ptr<PlanInstance> next_;
  std::future<void> under_way_;
};

}  // namespace tessera
