// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/app/detail/run_plans.hpp"

namespace tessera::app {

/// What --explain does: prints the plans, and saves them when asked to. Rank 0 alone plans for all ranks.
/// Collective. Throws InputError.
void explain_run(const RunSetup& setup, const RunPlans& plans);

/// What --check does: finds all that can be wrong before a run, and prints what it would cost. The files that
/// it opens are dropped again. Collective. Throws InputError.
void check_run(const RunSetup& setup, const RunPlans& plans);

}  // namespace tessera::app
