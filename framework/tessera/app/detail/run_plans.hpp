// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tessera/app/detail/plans.hpp"
#include "tessera/app/detail/run_setup.hpp"

namespace tessera::app {

/// The plans of a run, which are made by the schedule of the deck or come from the file of --plan.
class RunPlans {
 public:
  /// Makes or reads the plans. Throws InputError for all that is wrong with them or the schedule, before any
  /// pixel is touched. `setup` must outlive this object. Collective.
  explicit RunPlans(const RunSetup& setup);

  /// The plans of all ranks. If they come from a file only rank 0 has them and may call this.
  const Plans& all() const { return *plans_; }
  /// The plans of all ranks if they may have bands; null if they come from a file, where they have none.
  const Plans* by_deck() const { return setup_.options.plan.empty() ? plans_.get() : nullptr; }
  /// The plan of this rank. When plans are made for fewer ranks than run, the plan of the last of them stands
  /// in for those that are missing.
  const Plan& mine() const { return plan_; }

 private:
  void make();
  void read();
  Target target() const;
  std::vector<std::string> read_texts();

  const RunSetup& setup_;
  std::unique_ptr<Plans> plans_;
  Plan plan_;
};

}  // namespace tessera::app
