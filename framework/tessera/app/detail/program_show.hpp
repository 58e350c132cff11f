// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/app/detail/program_plans.hpp"
#include "tessera/app/detail/run_setup.hpp"

namespace tessera::app {

/// Prints what the options ask for about a program of tasks that does not run, and `more` after it. Writes
/// the files that the options and the deck ask for. Collective.
void show_program(const RunSetup& setup, const ProgramPlans& programs, const std::string& more = {});

}  // namespace tessera::app
