// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "tessera/app/detail/plans.hpp"
#include "tessera/app/session.hpp"
#include "tessera/pipeline/run/banded_run.hpp"

namespace tessera::app {

/// A plan of a rank that is ready to run. It runs as a whole, or one band after the other.
class PlanRun {
 public:
  /// Prepares a run of `plan`, which is the plan of this rank. `plans` holds the plans of all ranks. All
  /// arguments must outlive this object. Collective.
  PlanRun(const Session& session, const Algorithm& pipeline, const Plans& plans, const Plan& plan,
          const Transport& transport);

  /// Runs the plan. Calls `observer` for the steps of the plan. If there are several bands, also calls
  /// `band_observer` with each band before it is computed. Collective.
  void run(const Bindings& bindings, const StepObserver& observer, const BandObserver& band_observer);

  /// The plan instance of the whole plan, or null if there are several bands.
  PlanInstance* instance() { return instance_.get(); }

 private:
  std::unique_ptr<PlanInstance> instance_;
  std::unique_ptr<BandedRun> bands_;
};

}  // namespace tessera::app
