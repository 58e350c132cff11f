// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "tessera/app/detail/task_costs.hpp"
#include "tessera/group/program_run.hpp"

namespace tessera::app {

/// Runs a program on 1, 2, 4, ... ranks and on all ranks of a communicator, every task on all of them, and
/// returns the seconds of each task: of the slowest rank, in the fastest of some runs. Outputs are not
/// written. Collective.
MeasuredTasks profile_tasks(MPI_Comm communicator, const group::Program& program, const Target& target,
                            const group::ProgramBindings& bindings, const Transport& transport);

}  // namespace tessera::app
