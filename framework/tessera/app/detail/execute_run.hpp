// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/app/detail/run_phases.hpp"
#include "tessera/app/detail/run_plans.hpp"

namespace tessera::app {

/// Runs the plans: reads the inputs, computes, writes the outputs, and says on the way what it does.
/// Collective. Throws InputError for what can be found wrong before any work.
/// `phases` go on until the first step.
ExitStatus execute_run(RunSetup& setup, const RunPlans& plans, RunPhases& phases);

}  // namespace tessera::app
