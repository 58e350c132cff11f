// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/app/detail/run_phases.hpp"
#include "tessera/app/detail/run_plans.hpp"

namespace tessera::app {

/// Runs the plans: reads the inputs, computes, writes the outputs, and prints the progress. Returns the exit
/// status of the program. Records the phases of the run in `phases`. Collective. Throws InputError for all
/// faults of the deck and the files that can be found before the first step.
ExitStatus execute_run(RunSetup& setup, const RunPlans& plans, RunPhases& phases);

}  // namespace tessera::app
