// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/app/detail/estimate_run.hpp"
#include "tessera/app/detail/program_plans.hpp"
#include "tessera/app/detail/run_setup.hpp"

namespace tessera::app {

/// Returns the estimate of the plans of each task: its steps, what bounds them and their time. `setting` has
/// the machine.
std::string estimate_program(const ProgramPlans& programs, const EstimateSetting& setting);

/// Returns a line about the ranks, messages and memory of a program that could run.
std::string check_program(const ProgramPlans& programs);

/// Returns a plan that describes a program on this rank in texts and reports. It is `whole`, the plan of the
/// undivided pipeline, without steps, and with the memory and the computed points of the tasks.
Plan described_plan(const Algorithm& pipeline, Plan whole, const group::Program& program,
                    const group::ProgramPlan& plan);

/// Returns lines that say which ranks compute which tasks, what they send each other, and what memory they
/// need: of all ranks if `rank` is -1, and otherwise the steps of this rank.
std::string explain_program(const ProgramPlans& programs, int rank);

/// Prints what the options ask for about a program of tasks that does not run, and `more` after it. Writes
/// the files that the options and the deck ask for. Collective.
void show_program(const RunSetup& setup, const ProgramPlans& programs, const std::string& more = {});

}  // namespace tessera::app
