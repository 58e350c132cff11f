// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/app/detail/run_plans.hpp"

namespace tessera::app {

/// Does the work of --explain: prints an explanation of the plans, and saves the plans if the option
/// --save-plan is given. Rank 0 alone makes the plans of all ranks. Collective. Throws InputError for faults
/// of the options, the deck or the files.
void explain_run(const RunSetup& setup, const RunPlans& plans);

/// Does the work of --check: looks for all faults that can be found before a run, and prints the costs of the
/// run. No files are left behind. Collective. Throws InputError for the first fault.
void check_run(const RunSetup& setup, const RunPlans& plans);

}  // namespace tessera::app
