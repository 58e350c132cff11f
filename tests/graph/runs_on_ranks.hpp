// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "pipeline/world.hpp"
#include "tessera/graph/graph.hpp"

// Tests of graphs on several ranks share these functions.
namespace tessera::graph_test {

/// Returns the options of a run on all ranks, with `workers` threads each.
inline graph::RunOptions on_all_ranks(int workers) {
  return {.workers = workers, .communicator = MPI_COMM_WORLD};
}

}  // namespace tessera::graph_test
