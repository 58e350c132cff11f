// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/app/detail/report.hpp"
#include "tessera/app/detail/step_recorder.hpp"

namespace tessera::app {

/// Adds the table `time` to the report of rank 0. It divides the time of the run, until the report is made,
/// into preparing, reading, computing, exchanging, writing, finishing and the rest. The section `totals` gets
/// the share that is not the rest. Every rank gives its own plan and recorder. Collective.
void add_times(Report& report, MPI_Comm communicator, const Plan& plan, const StepRecorder& recorder);

}  // namespace tessera::app
