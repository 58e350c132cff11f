// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/view/machine.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <Kokkos_Macros.hpp>
#include <algorithm>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <latch>
#include <string_view>
#include <thread>

#include "tessera/domain/error.hpp"
#include "tessera/view/collectively.hpp"
#include "tessera/view/compat.hpp"

#ifdef KOKKOS_ENABLE_OPENMP
#include <omp.h>
#endif

namespace tessera {
namespace {

/// Returns the most bytes of a last cache that count for one core. A virtual machine may see a cache that
/// many others use, too. In measurements, 16 MiB of caches up to 128 MiB counted, and a sixteenth of a cache
/// of 480 MiB.
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
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(communicator, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  RankPlace place{rank_in(communicator), detail::own_numa_domain()};
  MPI_Bcast(&place.node, 1, MPI_INT, 0, node);  // the number of a machine node is its first rank
  MPI_Comm_free(&node);
  std::vector<RankPlace> places(static_cast<std::size_t>(ranks_of(communicator)));
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

namespace {

using Path = std::filesystem::path;

/// Returns the number in a file, or `otherwise` if there is none, for example because the limit is "max".
std::int64_t number_in(const Path& file, std::int64_t otherwise) {
  std::int64_t number = 0;
  return std::ifstream(file) >> number ? number : otherwise;
}

/// Calls `look` with the folders of the control groups of this process that limit `resource`, and of the
/// groups that contain them. In a container, the folder of the group may be missing, and the limits are those
/// of the topmost folder.
void visit_groups(const std::string& root, const std::string& resource,
                  const std::function<void(const Path& folder)>& look) {
  const Path groups = Path(root) / "sys/fs/cgroup";
  std::ifstream own(Path(root) / "proc/self/cgroup");
  // Each line is a number, controllers and the group, separated by colons. Version 2 has no controllers.
  for (std::string line; std::getline(own, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (!controllers.empty() && ("," + controllers + ",").find("," + resource + ",") == std::string::npos)
      continue;
    const Path top = controllers.empty() ? groups : groups / resource;
    for (Path group = Path(line.substr(second + 1)).relative_path();; group = group.parent_path()) {
      look(top / group);
      if (group.empty()) break;
    }
  }
}

}  // namespace

std::int64_t machine_memory(const std::string& root) {
  std::int64_t bytes = static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
  visit_groups(root, "memory", [&bytes](const Path& folder) {
    for (const char* limit : {"memory.max", "memory.limit_in_bytes"})
      bytes = std::min(bytes, number_in(folder / limit, bytes));
  });
  return bytes;
}

int allowed_processors(const std::string& root) {
  int processors = most_host_threads;
  visit_groups(root, "cpu", [&processors](const Path& folder) {
    std::int64_t quota = number_in(folder / "cpu.cfs_quota_us", -1);
    std::int64_t period = number_in(folder / "cpu.cfs_period_us", 0);
    std::ifstream(folder / "cpu.max") >> quota >> period;
    if (quota > 0 && period > 0)
      processors = static_cast<int>(std::min<std::int64_t>(processors, (quota + period - 1) / period));
  });
  return processors;
}

void set_openmp_threads([[maybe_unused]] int threads) {
#ifdef KOKKOS_ENABLE_OPENMP
  omp_set_dynamic(0);
  if (omp_get_max_active_levels() < 1) omp_set_max_active_levels(1);
  omp_set_num_threads(threads);
#endif
}

int openmp_thread_limit() {
#ifdef KOKKOS_ENABLE_OPENMP
  return std::min(omp_get_thread_limit(), most_host_threads);
#else
  return most_host_threads;
#endif
}

void check_that_threads_start(int threads) {
  std::latch end(1);
  std::vector<std::jthread> started;
  started.reserve(static_cast<std::size_t>(threads));
  std::string failure;
  try {
    // The calling thread is one of the threads that compute.
    for (int i = 1; i < threads; ++i) started.emplace_back([&end] { end.wait(); });
  } catch (const std::exception& error) {  // there may be no memory for a thread, either
    failure = error.what();
  }
  end.count_down();
  if (!failure.empty())
    throw InputError(
        fmt::format("of {} threads, only {} could be started ({}): give a smaller number, as threads "
                    "in the deck or as OMP_NUM_THREADS",
                    threads, started.size() + 1, failure));
}

Device own_device() {
  Device device;
#if defined(KOKKOS_ENABLE_CUDA)
  device.number = ExecutionSpace().cuda_device();
  cudaDeviceProp properties;
  if (cudaGetDeviceProperties(&properties, device.number) == cudaSuccess)
    std::string_view(properties.name).copy(device.name.data(), device.name.size() - 1);
  if (cudaDeviceGetPCIBusId(device.address.data(), static_cast<int>(device.address.size()), device.number) !=
      cudaSuccess)
    device.address = {};
#elif defined(KOKKOS_ENABLE_HIP)
  device.number = ExecutionSpace().hip_device();
  hipDeviceProp_t properties;
  if (hipGetDeviceProperties(&properties, device.number) == hipSuccess)
    std::string_view(properties.name).copy(device.name.data(), device.name.size() - 1);
  if (hipDeviceGetPCIBusId(device.address.data(), static_cast<int>(device.address.size()), device.number) !=
      hipSuccess)
    device.address = {};
#endif
  return device;
}

}  // namespace tessera
