// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

namespace tessera {

/// The place where a rank runs. Ranks with equal numbers run at the same place.
struct RankPlace {
  /// The machine node, as the number of the first of its ranks.
  int node = 0;
  /// The NUMA domain within the machine node.
  int numa_domain = 0;
  /// Returns true when node and NUMA domain are equal.
  bool operator==(const RankPlace&) const = default;
};

/// The last level of cache near a process.
struct LastCache {
  /// The size of one such cache in bytes.
  std::int64_t bytes = 0;
  /// The number of cores that share one such cache.
  int cores = 1;
  /// The size of all such caches that the process may use, in bytes.
  std::int64_t total_bytes = 0;
};

/// Returns the bytes of cache for this many threads. Each thread counts for an equal part of the cache that
/// cores share, but for 16 MiB at most, as virtual machines are mostly told of more cache than they have. The
/// result is at most the size of all caches.
std::int64_t cache_part(const LastCache& cache, int threads);

/// Returns cache_part for the caches of this process and this many threads, in bytes, or 0 where the machine
/// does not tell. The call examines the machine, so its result should be kept.
std::int64_t cache_bytes(int threads);

/// Returns the places of all ranks of `communicator`, by rank. A rank that may use the cores of several NUMA
/// domains counts as in the first of them. Collective.
std::vector<RankPlace> rank_places(MPI_Comm communicator);

/// Returns the levels of a machine for hierarchical grids, see GridTarget::levels, outermost first, without
/// levels of one. They are nodes, NUMA domains per node and ranks per domain, if the ranks of each place are
/// numbered without a gap and all places have equally many. Otherwise they are nodes and ranks per node,
/// under the same condition, or else one level of all ranks.
std::vector<int> machine_levels(const std::vector<RankPlace>& places);

}  // namespace tessera
