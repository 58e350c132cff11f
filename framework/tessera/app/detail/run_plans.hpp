// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "tessera/app/detail/plans.hpp"
#include "tessera/app/detail/run_setup.hpp"

namespace tessera::app {

/// The plans of a run, which are made with the schedule of the deck.
class RunPlans {
 public:
  /// Makes the plans. If `limits_memory` is false, plans are made as if there were no limit of memory, so
  /// that they have no bands. Throws InputError when the schedule is faulty. No pixel has been read at this
  /// time. `setup` must outlive this object. Collective.
  explicit RunPlans(const RunSetup& setup, bool limits_memory = true);

  /// The plans of all ranks.
  const Plans& all() const { return *plans_; }
  /// The plan of this rank. If there are plans for fewer ranks than run, each rank without a plan has the
  /// plan of the last rank with a plan.
  const Plan& mine() const { return plan_; }

 private:
  std::unique_ptr<Plans> plans_;
  Plan plan_;
};

}  // namespace tessera::app
