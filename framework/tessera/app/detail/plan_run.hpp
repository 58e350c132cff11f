// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "tessera/app/detail/plans.hpp"
#include "tessera/app/session.hpp"
#include "tessera/pipeline/run/banded_run.hpp"

namespace tessera::app {

/// The plan of a rank that is ready to run, as a whole or band after band.
class PlanRun {
 public:
  /// Prepares `plan`, which is the plan of this rank. `plans` are the plans of all ranks, or null when the
  /// plan comes from a file, where it has no bands. All arguments must outlive this object. Collective.
  PlanRun(const Session& session, const Algorithm& pipeline, const Plans* plans, const Plan& plan,
          const Transport& transport);

  /// Runs the plan. `observer` is told of steps of `plan`, and `band_observer` of each band if there are
  /// several. Collective.
  void run(const Bindings& bindings, const StepObserver& observer, const BandObserver& band_observer);

  /// The instance of the whole plan; null when there are several bands.
  PlanInstance* instance() { return instance_.get(); }

 private:
  std::unique_ptr<PlanInstance> instance_;
  std::unique_ptr<BandedRun> bands_;
};

}  // namespace tessera::app
