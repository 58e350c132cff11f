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

/// Returns the largest number of bytes of a last-level cache that one core is taken to have. A virtual
/// machine may see a whole cache, although others use it, too. In measurements, a core could use 16 MiB of
/// caches of up to 128 MiB, and a sixteenth of a cache of 480 MiB.
std::int64_t most_cache_per_core(const LastCache& cache) {
  return std::max(std::int64_t(16) << 20, cache.bytes / 16);
}

using SamePlace = std::function<bool(const RankPlace&, const RankPlace&)>;

/// Returns the number of ranks per place if the ranks of each place are consecutive and all places have
/// equally many ranks; otherwise returns 0.
int ranks_per_place(const std::vector<RankPlace>& places, const SamePlace& same) {
  std::vector<std::size_t> firsts;  // the first rank of each place
  for (std::size_t rank = 0; rank < places.size(); ++rank) {
    if (rank > 0 && same(places[rank - 1], places[rank])) continue;
    for (std::size_t first : firsts)
      if (same(places[first], places[rank])) return 0;
    firsts.push_back(rank);
  }
  const std::size_t per_place = places.size() / firsts.size();
  for (std::size_t i = 0; i < firsts.size(); ++i)
    if (firsts[i] != i * per_place) return 0;
  return places.size() % firsts.size() == 0 ? static_cast<int>(per_place) : 0;
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
  MPI_Bcast(&place.node, 1, MPI_INT, 0, node);  // a machine node has the number of its first rank
  MPI_Comm_free(&node);
  std::vector<RankPlace> places(static_cast<std::size_t>(ranks_of(communicator)));
  static_assert(sizeof(RankPlace) == 2 * sizeof(int));
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

/// Returns the number at the beginning of a file. Returns `otherwise` if the file is missing or has a word
/// instead of a number, such as the limit "max".
std::int64_t number_in(const Path& file, std::int64_t otherwise) {
  std::int64_t number = 0;
  return std::ifstream(file) >> number ? number : otherwise;
}

/// Calls look(folder) for each folder that may have limits of `resource` for this process: the folders of the
/// control groups of the process, and of all groups around these groups. Some folders may be missing. In a
/// container, there may only be the topmost one.
void visit_groups(const std::string& root, const std::string& resource,
                  const std::function<void(const Path& folder)>& look) {
  const Path groups = Path(root) / "sys/fs/cgroup";
  std::ifstream own_groups(Path(root) / "proc/self/cgroup");
  // Each line holds a number, a list of controllers and the path of a group, separated by colons. The list is
  // empty for control groups of version 2.
  for (std::string line; std::getline(own_groups, line);) {
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
    for (const char* name : {"memory.max", "memory.limit_in_bytes"})
      bytes = std::min(bytes, number_in(folder / name, bytes));
  });
  return bytes;
}

int allowed_processors(const std::string& root) {
  int processors = most_host_threads;
  visit_groups(root, "cpu", [&processors](const Path& folder) {
    std::int64_t quota = number_in(folder / "cpu.cfs_quota_us", -1);
    std::int64_t period = number_in(folder / "cpu.cfs_period_us", 0);
    // The quota may be the word "max", which is read as 0.
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
  } catch (const std::exception& error) {  // of type std::system_error or std::bad_alloc
    failure = error.what();
  }
  end.count_down();
  if (!failure.empty())
    throw InputError(
        fmt::format("only {} of {} threads could be started ({}): give a smaller number, as threads "
                    "in the deck or as OMP_NUM_THREADS",
                    started.size() + 1, threads, failure));
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
