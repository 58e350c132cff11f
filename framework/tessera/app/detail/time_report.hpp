// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/app/detail/report.hpp"
#include "tessera/app/detail/step_recorder.hpp"

namespace tessera::app {

/// Adds to the report of rank 0 the table `time`: how the time of the run, until the report is made, parts
/// into preparing, reading, computing, exchanging, writing, finishing and the rest; and what part of it is
/// not rest, in the section `totals`. Every rank gives its own plan and recorder. Collective.
void add_times(Report& report, MPI_Comm communicator, const Plan& plan, const StepRecorder& recorder);

}  // namespace tessera::app
