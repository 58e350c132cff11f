// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/app/detail/report.hpp"
#include "tessera/app/detail/step_recorder.hpp"
#include "tessera/app/detail/trace.hpp"

namespace tessera::app {

/// Adds the costs of a run to the report of rank 0: the tables `time`, `steps` and `stages`, and the section
/// `totals`. The table `steps` also has the phases before and after the steps. In a report that is written
/// as text, this table begins with the slowest step. Every rank passes its own plan and recorder.
/// Collective.
void add_steps(Report& report, MPI_Comm communicator, const Algorithm& pipeline, const Plan& plan,
               const StepRecorder& recorder);

/// Adds the table `steps` to the report of rank 0, with the phases of a run and with `parts` of its work in
/// place of the steps of a plan, and the time of the run to the section `totals`. Every rank passes its own
/// recorder, and the same parts. Collective.
void add_parts(Report& report, MPI_Comm communicator, const StepNames& parts, const Recorder& recorder);

}  // namespace tessera::app
