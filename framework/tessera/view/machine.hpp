// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

namespace tessera {

/// Where a rank runs: the node, and the NUMA domain within it. Equal numbers mean the same place.
struct RankPlace {
  int node = 0;
  int numa_domain = 0;
  bool operator==(const RankPlace&) const = default;
};

/// The last level of cache near a process.
struct LastCache {
  /// Of one, and how many cores share it.
  std::int64_t bytes = 0;
  int cores = 1;
  /// Of all that the process may use.
  std::int64_t total_bytes = 0;
};

/// What of it falls to so many threads: for each an equal part of what cores share, but 16 MiB at most, as
/// virtual machines are mostly told of more than they have; and no more than there is.
std::int64_t cache_part(const LastCache& cache, int threads);

/// That of this process; 0 where the machine does not tell. Looks at the machine: to be asked once.
std::int64_t cache_bytes(int threads);

/// Where all ranks run. A rank that may use the cores of several NUMA domains counts as in the first of them.
/// Collective.
std::vector<RankPlace> rank_places(MPI_Comm communicator);

/// The levels of a machine for hierarchical grids (GridTarget::levels), outermost first, without levels of
/// one: nodes, NUMA domains per node, ranks per domain, where the ranks of each are numbered without a gap
/// and all have equally many; else nodes and ranks per node; else all ranks on one level.
std::vector<int> machine_levels(const std::vector<RankPlace>& places);

}  // namespace tessera
