// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tessera/app/detail/plans.hpp"
#include "tessera/app/detail/run_setup.hpp"

namespace tessera::app {

/// The plans of a run. They are made with the schedule of the deck, or are read from the file that the
/// option --plan names.
class RunPlans {
 public:
  /// Makes or reads the plans. If `limits_memory` is false, plans are made as if there were no limit of
  /// memory, so that they have no bands. Throws InputError when the plans or the schedule are faulty. No
  /// pixel has been read at this time. `setup` must outlive this object. Collective.
  explicit RunPlans(const RunSetup& setup, bool limits_memory = true);

  /// The plans of all ranks. If the plans were read from a file, only rank 0 may call this function.
  const Plans& all() const { return *plans_; }
  /// The plans of all ranks if they were made with the schedule of the deck, and may therefore have bands;
  /// null if they were read from a file.
  const Plans* by_deck() const { return setup_.options.plan.empty() ? plans_.get() : nullptr; }
  /// The plan of this rank. If there are plans for fewer ranks than run, each rank without a plan has the
  /// plan of the last rank with a plan.
  const Plan& mine() const { return plan_; }

 private:
  void make();
  void read();
  Target target() const;
  std::vector<std::string> read_texts();

  const RunSetup& setup_;
  bool limits_memory_;
  std::unique_ptr<Plans> plans_;
  Plan plan_;
};

}  // namespace tessera::app
