// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/view/machine.hpp"

#include <hwloc.h>

#include <algorithm>
#include <functional>

namespace tessera {
namespace {

constexpr std::int64_t most_cache_per_core = std::int64_t(16) << 20;

/// What use(topology, cores) finds for the cores of this process; nothing when the machine does not tell.
template <class Use>
auto of_own_cores(const Use& use) -> decltype(use(nullptr, nullptr)) {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) return {};
  decltype(use(nullptr, nullptr)) found = {};
  hwloc_cpuset_t cores = hwloc_bitmap_alloc();
  if (hwloc_topology_load(topology) == 0 && hwloc_get_cpubind(topology, cores, HWLOC_CPUBIND_PROCESS) == 0)
    found = use(topology, cores);
  hwloc_bitmap_free(cores);
  hwloc_topology_destroy(topology);
  return found;
}

/// The first NUMA domain whose memory is near those cores.
int own_numa_domain() {
  return of_own_cores([](hwloc_topology_t topology, hwloc_const_cpuset_t cores) {
    hwloc_nodeset_t nodes = hwloc_bitmap_alloc();
    hwloc_cpuset_to_nodeset(topology, cores, nodes);
    const int domain = std::max(hwloc_bitmap_first(nodes), 0);
    hwloc_bitmap_free(nodes);
    return domain;
  });
}

using SamePlace = std::function<bool(const RankPlace&, const RankPlace&)>;

/// Ranks per place when the ranks of every place follow each other and all places have equally many; else 0.
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
  return std::min(std::min(cache.bytes / cache.cores, most_cache_per_core) * threads, cache.total_bytes);
}

std::int64_t cache_bytes(int threads) {
  const LastCache found = of_own_cores([](hwloc_topology_t topology, hwloc_const_cpuset_t own) {
    LastCache last;
    hwloc_obj_t cache = nullptr;
    while ((cache = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_L3CACHE, cache)) != nullptr) {
      if (!hwloc_bitmap_intersects(cache->cpuset, own)) continue;
      last.bytes = static_cast<std::int64_t>(cache->attr->cache.size);
      last.total_bytes += last.bytes;
      // Cores that this process may not use count, too: their processors are told, but not which are one
      // core.
      const int cores = hwloc_get_nbobjs_inside_cpuset_by_type(topology, cache->cpuset, HWLOC_OBJ_CORE);
      const int processors = hwloc_bitmap_weight(cache->cpuset);
      last.cores = std::max(1, hwloc_bitmap_weight(cache->complete_cpuset) * cores / processors);
    }
    return last;
  });
  return cache_part(found, threads);
}

std::vector<RankPlace> rank_places(MPI_Comm communicator) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(communicator, &rank);
  MPI_Comm_size(communicator, &ranks);
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(communicator, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  RankPlace place{rank, own_numa_domain()};
  MPI_Bcast(&place.node, 1, MPI_INT, 0, node);  // a node is called by its first rank
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
