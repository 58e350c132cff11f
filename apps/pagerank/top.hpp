// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

namespace pagerank {

/// A vertex and its rank.
struct Ranked {
  std::int64_t vertex = 0;
  double rank = 0;
};

/// Returns the vertices with the highest ranks, at most `count` of them, on rank 0; an empty list on others.
/// If ranks are equal, that of the lower vertex comes first. `ranks` are those of the vertices from `first`
/// on. Collective.
std::vector<Ranked> highest(MPI_Comm communicator, const std::vector<double>& ranks, std::int64_t first,
                            std::int64_t count);

}  // namespace pagerank
