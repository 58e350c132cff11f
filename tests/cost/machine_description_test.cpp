// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/cost/machine_description.hpp"

#include <gtest/gtest.h>

namespace tessera::cost {
namespace {

/// A node of 8 cores, whose memory 3 threads saturate.
MachineDescription eight_cores() {
  MachineDescription machine = generic_machine();
  machine.sockets = 2;
  machine.cores = 4;
  machine.threads = 8;
  machine.memory = {10, 30};
  machine.launch_thread_seconds = 1;
  machine.launch_all_seconds = 7;
  return machine;
}

TEST(MachineDescriptionTest, ThreadsShareTheSpeedOfANode) {
  const MachineDescription machine = eight_cores();
  EXPECT_DOUBLE_EQ(NodeShare(machine, 1, 1).of(machine.memory), 10);
  EXPECT_DOUBLE_EQ(NodeShare(machine, 1, 2).of(machine.memory), 20);
  EXPECT_DOUBLE_EQ(NodeShare(machine, 1, 8).of(machine.memory), 30);
  EXPECT_DOUBLE_EQ(NodeShare(machine, 2, 1).of(machine.memory), 10);
  EXPECT_DOUBLE_EQ(NodeShare(machine, 4, 2).of(machine.memory), 7.5);
}

TEST(MachineDescriptionTest, NoMoreThreadsComputeThanThereAreCores) {
  const MachineDescription machine = eight_cores();
  EXPECT_DOUBLE_EQ(NodeShare(machine, 2, 4).threads(), 4);
  EXPECT_DOUBLE_EQ(NodeShare(machine, 1, 64).threads(), 8);
  EXPECT_EQ(ranks_per_node(machine, 1), 8);
  EXPECT_EQ(ranks_per_node(machine, 3), 2);
  EXPECT_EQ(ranks_per_node(machine, 64), 1);
}

TEST(MachineDescriptionTest, LaunchesTakeLongerWithMoreThreads) {
  const MachineDescription machine = eight_cores();
  EXPECT_DOUBLE_EQ(NodeShare(machine, 1, 1).launch_seconds(), 1);
  EXPECT_DOUBLE_EQ(NodeShare(machine, 1, 2).launch_seconds(), 3);
  EXPECT_DOUBLE_EQ(NodeShare(machine, 1, 8).launch_seconds(), 7);
}

// All threads may seem to start sooner than one, as both are measured. Twice as many do not start before.
TEST(MachineDescriptionTest, LaunchesNeverTakeNegativeTime) {
  MachineDescription machine = eight_cores();
  machine.threads = 2;
  machine.launch_all_seconds = 0.25;
  EXPECT_DOUBLE_EQ(NodeShare(machine, 1, 2).launch_seconds(), 0.25);
  EXPECT_DOUBLE_EQ(NodeShare(machine, 1, 8).launch_seconds(), 0);
}

TEST(MachineDescriptionTest, TellsAnotherMachineFromThisOne) {
  MachineDescription machine = generic_machine();
  machine.processor = own_processor();
  machine.cores = own_cores();
  EXPECT_EQ(difference_from_own(machine), "");
  machine.processor = "Abacus 12";
  machine.cores = 3;
  EXPECT_TRUE(
      difference_from_own(machine).starts_with("it describes 3 cores of 'Abacus 12', and this machine has "));
  machine.processor = "";
  machine.cores = 1;
  EXPECT_TRUE(
      difference_from_own(machine).starts_with("it describes 1 core of an unnamed processor, and this"));
}

}  // namespace
}  // namespace tessera::cost
