// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "tessera/app/detail/plans.hpp"
#include "tessera/app/session.hpp"
#include "tessera/pipeline/run/banded_run.hpp"

namespace tessera::app {

/// The plan of a rank ready to run: as a whole, or band after band.
class PlanRun {
 public:
  /// `plan` is this rank's, as `plans` has it; `plans` is null where it comes from a file, which has no
  /// bands. All must outlive it. Collective.
  PlanRun(const Session& session, const Algorithm& pipeline, const Plans* plans, const Plan& plan,
          const Transport& transport);

  /// Steps are those of `plan`; `band_observer` is told of each of several bands.
  void run(const Bindings& bindings, const StepObserver& observer, const BandObserver& band_observer);

  /// Null when there are several bands.
  PlanInstance* instance() { return instance_.get(); }

 private:
  std::unique_ptr<PlanInstance> instance_;
  std::unique_ptr<BandedRun> bands_;
};

}  // namespace tessera::app
