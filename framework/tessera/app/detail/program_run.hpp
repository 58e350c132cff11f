// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "tessera/app/detail/run_phases.hpp"
#include "tessera/app/detail/run_setup.hpp"
#include "tessera/app/exit_status.hpp"

namespace tessera::app {

/// Divides the pipeline of a run into tasks on groups of ranks, as the deck asks, and runs, explains, checks
/// or estimates them, as the options ask. Returns the exit status, or nothing if the deck leaves the choice
/// and the undivided pipeline is estimated to be the fastest. Collective.
std::optional<ExitStatus> run_program_of_tasks(RunSetup& setup, RunPhases& phases);

}  // namespace tessera::app
