// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/view/machine.hpp"

#include <algorithm>
#include <functional>

#include "tessera/view/detail/own_cores.hpp"

namespace tessera {
namespace {

/// Returns the most bytes of a last cache that count for one core. A virtual machine may see a cache that
/// many others use, too. Of caches up to 128 MiB, 16 MiB were found to count, and a sixteenth of one of 480
/// MiB.
std::int64_t most_cache_per_core(const LastCache& cache) {
  return std::max(std::int64_t(16) << 20, cache.bytes / 16);
}

using SamePlace = std::function<bool(const RankPlace&, const RankPlace&)>;

/// Returns the number of ranks per place if the ranks of each place are consecutive and all places have
/// equally many ranks; otherwise returns 0.
int ranks_per_place(const std::vector<RankPlace>& places, const SamePlace& same) {
  std::vector<std::size_t> firsts;
  for (std::size_t rank = 0; rank < places.size(); ++rank) {
    if (rank > 0 && same(places[rank - 1], places[rank])) continue;
    for (std::size_t first : firsts)
      if (same(places[first], places[rank])) return 0;
    firsts.push_back(rank);
  }
  const std::size_t share = places.size() / firsts.size();
  for (std::size_t i = 0; i < firsts.size(); ++i)
    if (firsts[i] != i * share) return 0;
  return places.size() % firsts.size() == 0 ? static_cast<int>(share) : 0;
}

}  // namespace

std::int64_t cache_part(const LastCache& cache, int threads) {
  return std::min(std::min(cache.bytes / cache.cores, most_cache_per_core(cache)) * threads,
                  cache.total_bytes);
}

std::int64_t cache_bytes(int threads) { return cache_part(detail::own_last_cache(), threads); }

std::vector<RankPlace> rank_places(MPI_Comm communicator) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(communicator, &rank);
  MPI_Comm_size(communicator, &ranks);
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(communicator, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  RankPlace place{rank, detail::own_numa_domain()};
  MPI_Bcast(&place.node, 1, MPI_INT, 0, node);  // the number of a machine node is its first rank
  MPI_Comm_free(&node);
  std::vector<RankPlace> places(static_cast<std::size_t>(ranks));
  MPI_Allgather(&place, 2, MPI_INT, places.data(), 2, MPI_INT, communicator);
  return places;
}

std::vector<int> machine_levels(const std::vector<RankPlace>& places) {
  const int ranks = static_cast<int>(places.size());
  const int per_node =
      ranks_per_place(places, [](const RankPlace& a, const RankPlace& b) { return a.node == b.node; });
  const int per_domain = ranks_per_place(places, std::equal_to<RankPlace>());
  std::vector<int> levels = {ranks};
  if (per_node > 0) levels = {ranks / per_node, per_node};
  if (per_node > 0 && per_domain > 0 && per_node % per_domain == 0)
    levels = {ranks / per_node, per_node / per_domain, per_domain};
  std::erase(levels, 1);
  return levels.empty() ? std::vector{1} : levels;
}

}  // namespace tessera
