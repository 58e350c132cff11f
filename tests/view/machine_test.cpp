// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/view/machine.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <numeric>

#include "tessera/view/exchange.hpp"
#include "tessera/view/mpi_objects.hpp"

namespace {

using namespace tessera;
using Levels = std::vector<int>;

/// Ranks numbered node by node, and domain by domain within each.
std::vector<RankPlace> regular(int nodes, int domains, int ranks) {
  std::vector<RankPlace> places;
  for (int node = 0; node < nodes; ++node)
    for (int domain = 0; domain < domains; ++domain)
      for (int rank = 0; rank < ranks; ++rank) places.push_back({node, domain});
  return places;
}

TEST(CacheBytes, AreOfSomeSensibleSize) {
  const std::int64_t bytes = cache_bytes(1);
  EXPECT_TRUE(bytes == 0 || (bytes >= 16 << 10 && bytes <= 256 << 20)) << bytes;
}

TEST(CacheBytes, AreAPartForEachThread) {
  constexpr std::int64_t mib = 1 << 20;
  const LastCache of_eight_cores{32 * mib, 8, 32 * mib};
  EXPECT_EQ(cache_part(of_eight_cores, 1), 4 * mib);
  EXPECT_EQ(cache_part(of_eight_cores, 8), 32 * mib);
  // Two threads per core.
  EXPECT_EQ(cache_part(of_eight_cores, 16), 32 * mib);
  const LastCache one_of_four{32 * mib, 8, 128 * mib};
  EXPECT_EQ(cache_part(one_of_four, 16), 64 * mib);
  const LastCache told_too_much{105 * mib, 2, 105 * mib};
  EXPECT_EQ(cache_part(told_too_much, 1), 16 * mib);
  EXPECT_EQ(cache_part(told_too_much, 2), 32 * mib);
  EXPECT_EQ(cache_part(told_too_much, 8), 105 * mib);
  const LastCache very_large{480 * mib, 2, 480 * mib};
  EXPECT_EQ(cache_part(very_large, 1), 30 * mib);
  EXPECT_EQ(cache_part(very_large, 2), 60 * mib);
  EXPECT_EQ(cache_part(LastCache(), 4), 0);
}

TEST(MachineLevels, AreNodesDomainsAndRanks) {
  EXPECT_EQ(machine_levels(regular(4, 2, 8)), (Levels{4, 2, 8}));
  EXPECT_EQ(machine_levels(regular(4, 1, 8)), (Levels{4, 8}));
  EXPECT_EQ(machine_levels(regular(1, 2, 8)), (Levels{2, 8}));
  EXPECT_EQ(machine_levels(regular(3, 2, 1)), (Levels{3, 2}));
  EXPECT_EQ(machine_levels(regular(1, 1, 6)), (Levels{6}));
  EXPECT_EQ(machine_levels(regular(1, 1, 1)), (Levels{1}));
}

TEST(MachineLevels, LeaveOutWhatIsIrregular) {
  // Ranks dealt out to the nodes in turn.
  EXPECT_EQ(machine_levels({{0, 0}, {1, 0}, {0, 0}, {1, 0}}), (Levels{4}));
  // One node has fewer.
  EXPECT_EQ(machine_levels({{0, 0}, {0, 0}, {1, 0}}), (Levels{3}));
  // Regular nodes whose ranks are dealt out to the domains in turn.
  EXPECT_EQ(machine_levels({{0, 0}, {0, 1}, {0, 0}, {0, 1}, {1, 0}, {1, 1}, {1, 0}, {1, 1}}), (Levels{2, 4}));
}

TEST(MachineLevels, OfThisMachineMultiplyToTheRanks) {
  const Communicator communicator(MPI_COMM_WORLD);
  const std::vector<RankPlace> places = rank_places(communicator.handle());
  ASSERT_EQ(static_cast<int>(places.size()), communicator.size());
  const Levels levels = machine_levels(places);
  EXPECT_EQ(std::accumulate(levels.begin(), levels.end(), 1, std::multiplies<>()), communicator.size());
}

// An MPI that does not take addresses of devices may end the process, so that only one that says so is asked.
TEST(GpuAware, AMessageBetweenKernelsMemoryArrives) {
  const Transport chosen = choose_transport(MPI_COMM_WORLD, GpuAware::detect).transport;
  if (runs_on_host || chosen.device_addresses)
    EXPECT_TRUE(device_message_arrives(MPI_COMM_WORLD));
  else
    EXPECT_FALSE(choose_transport(MPI_COMM_WORLD, GpuAware::detect).reason.empty());
}

TEST(GpuAware, WhatIsAskedForIsDone) {
  if constexpr (runs_on_host) {
    EXPECT_TRUE(choose_transport(MPI_COMM_WORLD, GpuAware::off).transport.device_addresses) << "no devices";
  } else {
    EXPECT_TRUE(choose_transport(MPI_COMM_WORLD, GpuAware::on).transport.device_addresses);
    EXPECT_FALSE(choose_transport(MPI_COMM_WORLD, GpuAware::off).transport.device_addresses);
  }
}

/// A folder that stands for the root of the machine.
class MachineMemory : public testing::Test {
 protected:
  MachineMemory() {
    std::string pattern = std::filesystem::temp_directory_path() / "tessera-memory-XXXXXX";
    EXPECT_NE(mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
  }
  ~MachineMemory() override { std::filesystem::remove_all(root_); }

  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
  }
  std::int64_t memory() const { return machine_memory(root_); }
  int processors() const { return allowed_processors(root_); }

  std::filesystem::path root_;
  const std::int64_t physical_ =
      static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
};

TEST_F(MachineMemory, IsThatOfTheMachineWithoutLimits) {
  EXPECT_EQ(memory(), physical_);
  write("proc/self/cgroup", "0::/a/b\nnonsense\n");
  EXPECT_EQ(memory(), physical_);
  write("sys/fs/cgroup/a/b/memory.max", "max\n");
  EXPECT_EQ(memory(), physical_);
  write("sys/fs/cgroup/a/memory.max", std::to_string(physical_ * 2) + "\n");
  EXPECT_EQ(memory(), physical_);
  EXPECT_LE(machine_memory(), physical_);
  EXPECT_GT(machine_memory(), 0);
}

TEST_F(MachineMemory, IsTheLeastLimitOfAllGroups) {
  write("proc/self/cgroup", "0::/a/b\n");
  write("sys/fs/cgroup/a/memory.max", "3000000\n");
  EXPECT_EQ(memory(), 3000000);
  write("sys/fs/cgroup/a/b/memory.max", "4000000\n");
  EXPECT_EQ(memory(), 3000000);
  write("sys/fs/cgroup/memory.max", "2000000\n");
  EXPECT_EQ(memory(), 2000000);
}

TEST_F(MachineMemory, KnowsTheOlderControlGroups) {
  write("proc/self/cgroup", "12:cpu,cpuacct:/x\n9:memory:/job/step\n0::/\n");
  write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "5000000\n");
  EXPECT_EQ(memory(), 5000000);
}

TEST_F(MachineMemory, StandsBesideTheTimeOfProcessors) {
  EXPECT_EQ(processors(), most_host_threads);
  write("proc/self/cgroup", "0::/a/b\n");
  write("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  EXPECT_EQ(processors(), most_host_threads);
  write("sys/fs/cgroup/a/b/cpu.max", "350000 100000\n");
  EXPECT_EQ(processors(), 4);
  write("sys/fs/cgroup/cpu.max", "50000 100000\n");
  EXPECT_EQ(processors(), 1);
}

TEST_F(MachineMemory, StandsBesideTheTimeOfProcessorsInOlderControlGroups) {
  write("proc/self/cgroup", "12:cpu,cpuacct:/x\n9:memory:/job/step\n");
  write("sys/fs/cgroup/cpu/x/cpu.cfs_quota_us", "-1\n");
  write("sys/fs/cgroup/cpu/x/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(processors(), most_host_threads);
  write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "200000\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(processors(), 2);
}

}  // namespace
