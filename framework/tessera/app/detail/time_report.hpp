// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/app/detail/report.hpp"
#include "tessera/app/detail/step_recorder.hpp"

namespace tessera::app {

/// Adds the table `time` to the report of rank 0. The table divides the time of the run, until the report is
/// made, into preparing, reading, computing, exchanging, writing, finishing and the rest. Also adds the time
/// of the run, and the share of this time that is not in the rest, to the section `totals`. Every rank
/// passes its own plan and recorder. Collective.
void add_times(Report& report, MPI_Comm communicator, const Plan& plan, const StepRecorder& recorder);

}  // namespace tessera::app
