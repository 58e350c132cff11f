// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "links.hpp"
#include "tessera/deck/deck.hpp"
#include "tessera/view/block_io.hpp"

namespace pagerank {

/// Returns a number that depends on all links of a graph and their weights, but neither on their order nor on
/// the ranks that have read them. Graphs with different links hardly ever have the same one. Kokkos has been
/// started. Collective.
std::uint64_t fingerprint(MPI_Comm communicator, const std::vector<Link>& links);

/// Writes a fingerprint to a checkpoint, whose array for it has one element. Collective.
void store_fingerprint(MPI_Comm communicator, std::uint64_t fingerprint, tessera::BlockSink& sink);

/// Throws InputError, on all ranks, when the checkpoint in `source` is of a graph with another fingerprint.
/// Collective.
void check_fingerprint(MPI_Comm communicator, std::uint64_t fingerprint, tessera::BlockSource& source,
                       const tessera::deck::Deck& deck);

}  // namespace pagerank
