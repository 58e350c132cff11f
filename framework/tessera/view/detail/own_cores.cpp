// SPDX-License-Identifier: BSD-3-Clause
#include <hwloc.h>

#include <algorithm>

#include "tessera/view/machine.hpp"

namespace tessera::detail {
namespace {

/// Returns use(topology, cores) for the cores that this process may use, or an empty value if hwloc cannot
/// find these cores.
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

}  // namespace

int own_numa_domain() {
  return of_own_cores([](hwloc_topology_t topology, hwloc_const_cpuset_t cores) {
    hwloc_nodeset_t nodes = hwloc_bitmap_alloc();
    hwloc_cpuset_to_nodeset(topology, cores, nodes);
    const int domain = std::max(hwloc_bitmap_first(nodes), 0);
    hwloc_bitmap_free(nodes);
    return domain;
  });
}

LastCache own_last_cache() {
  return of_own_cores([](hwloc_topology_t topology, hwloc_const_cpuset_t own) {
    LastCache last;
    hwloc_obj_t cache = nullptr;
    while ((cache = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_L3CACHE, cache)) != nullptr) {
      if (!hwloc_bitmap_intersects(cache->cpuset, own)) continue;
      last.bytes = static_cast<std::int64_t>(cache->attr->cache.size);
      last.total_bytes += last.bytes;
      // Some of the cores may be forbidden to this process. For these, hwloc tells only the number of
      // processors, so the number of cores is extrapolated.
      const int cores = hwloc_get_nbobjs_inside_cpuset_by_type(topology, cache->cpuset, HWLOC_OBJ_CORE);
      const int processors = hwloc_bitmap_weight(cache->cpuset);
      last.cores = std::max(1, hwloc_bitmap_weight(cache->complete_cpuset) * cores / processors);
    }
    return last;
  });
}

}  // namespace tessera::detail
