// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "links.hpp"

namespace pagerank {

/// Returns a number that depends on all links of a graph and their weights, but neither on their order nor on
/// the ranks that have read them. Graphs with different links hardly ever have the same one. Kokkos has been
/// started. Collective.
std::uint64_t fingerprint(MPI_Comm communicator, const std::vector<Link>& links);

}  // namespace pagerank
