// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/app/detail/estimate_report.hpp"
#include "tessera/app/detail/run_plans.hpp"

namespace tessera::app {

/// Returns the setting of --estimate, with the files that the options name. Throws InputError if one of them
/// is faulty. Not collective.
EstimateSetting estimate_setting(const Options& options);

/// Does the work of --estimate: prints how long each step of the plans takes, and writes that to the file of
/// --report if one is named. Rank 0 alone makes the plans of all ranks. Collective. Throws InputError for
/// faults of the options, the deck or the files.
void estimate_run(const RunSetup& setup, const RunPlans& plans);

}  // namespace tessera::app
