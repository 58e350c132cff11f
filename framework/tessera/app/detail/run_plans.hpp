// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tessera/app/detail/plans.hpp"
#include "tessera/app/detail/run_setup.hpp"

namespace tessera::app {

/// The plans of a run: they follow from the schedule of the deck, or come from the file of --plan.
class RunPlans {
 public:
  /// Finds everything that can be wrong without touching a pixel. `setup` must outlive this. Collective.
  /// Throws InputError.
  explicit RunPlans(const RunSetup& setup);

  /// Those of all ranks; where they come from a file only rank 0 may ask.
  const Plans& all() const { return *plans_; }
  /// Those to run band after band; null where they come from a file, which has no bands.
  const Plans* by_deck() const { return setup_.options.plan.empty() ? plans_.get() : nullptr; }
  /// The plan of this rank; when planning for other ranks than those that run, that of one of them.
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
