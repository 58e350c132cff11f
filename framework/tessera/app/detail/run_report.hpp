// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/app/detail/report.hpp"
#include "tessera/app/detail/step_recorder.hpp"

namespace tessera::app {

/// Adds the costs of a run to the report of rank 0: the tables `time`, `steps` and `stages`, and the section
/// `totals`. The table `steps` also has the phases before and after the steps. In a report that is written
/// as text, this table begins with the slowest step. Every rank passes its own plan and recorder.
/// Collective.
void add_steps(Report& report, MPI_Comm communicator, const Algorithm& pipeline, const Plan& plan,
               const StepRecorder& recorder);

}  // namespace tessera::app
