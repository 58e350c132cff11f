// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/app/detail/run_phases.hpp"
#include "tessera/app/detail/run_plans.hpp"

namespace tessera::app {

/// Runs the plans: reads the inputs, computes, writes the outputs, and prints its progress. Returns the exit
/// status. `phases` go on until the first step. Collective. Throws InputError for all that can be found wrong
/// before any work.
ExitStatus execute_run(RunSetup& setup, const RunPlans& plans, RunPhases& phases);

}  // namespace tessera::app
