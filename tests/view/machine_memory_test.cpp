// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/view/machine.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace {

using tessera::machine_memory;

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

}  // namespace
