// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <vector>

#include "tessera/cost/task_cost.hpp"
#include "tessera/group/program_run.hpp"

namespace tessera::group {

/// Runs a program on 1, 2, 4, ... ranks and on all ranks of a communicator, every task on all of them, and
/// returns the seconds of each task, in the order of the tasks: of the slowest rank, in the fastest of `runs`
/// runs. Outputs are not written. Collective. Throws the exceptions of ProgramPlanner and of ProgramInstance.
std::vector<std::vector<cost::TimedRanks>> profile(MPI_Comm communicator, const Program& program,
                                                   const Target& target, const ProgramBindings& bindings,
                                                   int runs = 5, const Transport& transport = {});

}  // namespace tessera::group
