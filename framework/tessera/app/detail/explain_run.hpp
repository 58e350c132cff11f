// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/app/detail/run_plans.hpp"

namespace tessera::app {

/// Does the work of --explain: prints the plans, and saves them when the options ask for it. Rank 0 alone
/// plans for all ranks. Collective. Throws InputError.
void explain_run(const RunSetup& setup, const RunPlans& plans);

/// Does the work of --check: finds all that can be wrong before a run, and prints the costs of the run. It
/// leaves no files behind. Collective. Throws InputError.
void check_run(const RunSetup& setup, const RunPlans& plans);

}  // namespace tessera::app
