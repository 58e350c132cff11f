// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "tessera/graph/graph.hpp"

// Tests of graphs on several ranks share these functions.
namespace tessera::graph_test {

/// Returns this rank's number.
inline int own_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

/// Returns the number of ranks.
inline int rank_count() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

/// Returns the options of a run on all ranks, with `workers` threads each.
inline graph::RunOptions on_all_ranks(int workers) {
  return {.workers = workers, .communicator = MPI_COMM_WORLD};
}

}  // namespace tessera::graph_test
