// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

/// The place where a rank runs. Two ranks run in the same NUMA domain when their places are equal.
struct RankPlace {
  /// The machine node, identified by the lowest number of the ranks that run on it.
  int node = 0;
  /// The number of the NUMA domain within the machine node.
  int numa_domain = 0;
  /// Returns true when machine node and NUMA domain are equal.
  bool operator==(const RankPlace&) const = default;
};

/// The last-level caches of the cores that a process may use.
struct LastCache {
  /// The size of one of these caches, in bytes.
  std::int64_t bytes = 0;
  /// The number of cores that share one of these caches.
  int cores = 1;
  /// The total size of these caches, in bytes.
  std::int64_t total_bytes = 0;
};

/// Returns the size in bytes of the part of `cache` that `threads` threads may use. The share of each thread
/// is the size of one cache divided by the number of cores that share this cache. It is at most 16 MiB, or a
/// sixteenth of the cache if this is more, because others use the caches that virtual machines report. The
/// result is at most cache.total_bytes.
std::int64_t cache_part(const LastCache& cache, int threads);

/// Returns cache_part, in bytes, for the caches of this process and `threads` threads. Returns 0 if the
/// machine does not report its caches. The call takes long, because it examines the hardware, so its result
/// should be kept.
std::int64_t cache_bytes(int threads);

namespace detail {

// hwloc tells these functions about the cores that this process may use.

/// Returns the first NUMA domain whose memory is near the cores of this process. Returns 0 in builds without
/// hwloc, or if the domain is not known.
int own_numa_domain();
/// Returns the last-level caches of the cores of this process. They have 0 bytes in builds without hwloc, or
/// if they are not known.
LastCache own_last_cache();

}  // namespace detail

/// Returns the places of all ranks of `communicator`, in the order of ranks. If a rank may run on the cores
/// of several NUMA domains, its place has the first of these domains. Collective.
std::vector<RankPlace> rank_places(MPI_Comm communicator);

/// Returns the levels of a machine for GridTarget::levels, outermost first. `places` are the places of all
/// ranks.
///
/// Ranks are regular on a kind of place if the ranks of each place have consecutive numbers, and if all
/// places have the same number of ranks. If ranks are regular on machine nodes and on NUMA domains, the
/// levels are the number of nodes, the number of NUMA domains per node and the number of ranks per NUMA
/// domain. If ranks are regular on nodes only, the levels are the number of nodes and the number of ranks per
/// node. Otherwise there is one level, the number of ranks. Levels of 1 are left out if there are others.
std::vector<int> machine_levels(const std::vector<RankPlace>& places);

/// The largest number of host threads with which one rank computes. The OpenMP backend of Kokkos has a table
/// of this many threads, and with more threads it writes beyond the end of the table.
inline constexpr int most_host_threads = 512;

/// Returns the bytes of memory that the processes of this process' control groups may use together: those of
/// the machine node, or the lowest limit of these groups if it is lower. Containers and batch systems set
/// such limits (cgroup v2 memory.max, or memory.limit_in_bytes of cgroup v1). `root` is the folder that has
/// `proc` and `sys`.
std::int64_t machine_memory(const std::string& root = "/");

/// Returns the number of processors whose time the processes of this process' control groups may use
/// together, rounded up: the least limit of these groups (cgroup v2 cpu.max, or cpu.cfs_quota_us of cgroup
/// v1), or most_host_threads if there is none. `root` is the folder that has `proc` and `sys`.
int allowed_processors(const std::string& root = "/");

/// Returns the largest number of threads that OpenMP lets this process have: OMP_THREAD_LIMIT, or
/// most_host_threads if it is less.
int openmp_thread_limit();

/// Makes OpenMP use `threads` threads, whatever the variables OMP_NUM_THREADS, OMP_DYNAMIC and
/// OMP_MAX_ACTIVE_LEVELS of the environment say. Kokkos starts all threads of OpenMP
/// when it is initialised, even if it should use fewer, so that this function is called before.
void set_openmp_threads(int threads);

/// Throws InputError if this process cannot start `threads` threads, for example because of a limit of the
/// system or of a container.
void check_that_threads_start(int threads);

/// The device of a process. It is plain data, which ranks can send to each other.
struct Device {
  /// The number of the device among the devices that are visible to the process. It is -1 if kernels run on
  /// the host.
  int number = -1;
  /// The name of the model of the device, which ends with a zero byte. It is empty if the name is not known.
  std::array<char, 64> name{};
  /// The address of the device on the PCI bus of its machine node, which ends with a zero byte. All processes
  /// of the machine node see the same address. It is empty if the address is not known.
  std::array<char, 32> address{};
  /// Returns true when both devices have the same number, name and address.
  bool operator==(const Device&) const = default;
};

/// Returns the device of this process. Kokkos must be initialised.
Device own_device();

}  // namespace tessera
