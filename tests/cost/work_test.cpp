// SPDX-License-Identifier: BSD-3-Clause
// Estimates of work without plans, against sums made by hand.
#include "cost/estimate_sample.hpp"

namespace tessera::test {
namespace {

using cost::Bound;

/// A rank with one thread has a fourth of a node with 4 cores if 4 of them run there.
cost::MachineDescription round_numbers() {
  cost::MachineDescription machine;
  machine.cores = machine.threads = 4;
  machine.memory = {1e9, 2e9};
  machine.arithmetic = {1e9, 4e9};
  machine.launch_thread_seconds = 1e-3;
  machine.within_node = {1e-3, 1e-6};
  machine.between_nodes = cost::NetworkCost{1e-2, 1e-5};
  machine.file_read = 1e9;
  machine.file_write = 5e8;
  return machine;
}

cost::StepEstimate estimate_of(const cost::WorkPart& part, int ranks = 1, int threads = 1,
                               const cost::MachineDescription& machine = round_numbers()) {
  const cost::RankEstimate rank = cost::estimate(cost::Work{.parts = {part}}, machine, ranks, threads);
  EXPECT_EQ(rank.steps.size(), 1U);
  EXPECT_DOUBLE_EQ(rank.seconds, rank.steps.front().seconds);
  return rank.steps.front();
}

TEST(WorkTest, APartTakesTheLongestOfItsTimes) {
  cost::WorkPart part{.name = "part", .times = 3, .memory_bytes = 2e9, .operations = 1e9};
  EXPECT_DOUBLE_EQ(estimate_of(part).seconds, 3 * 2.0);
  EXPECT_EQ(estimate_of(part).bound, Bound::memory);
  // Four ranks share the memory of a node, but each has a core of its own.
  EXPECT_DOUBLE_EQ(estimate_of(part, 4).seconds, 3 * 2e9 / 5e8);
  part.operations = 5e9;
  EXPECT_DOUBLE_EQ(estimate_of(part, 4).seconds, 3 * 5.0);
  EXPECT_EQ(estimate_of(part, 4).bound, Bound::arithmetic);
  EXPECT_DOUBLE_EQ(estimate_of(part, 1, 4).seconds, 3 * 5e9 / 4e9);
  part.launches = 2;
  EXPECT_DOUBLE_EQ(estimate_of(part).seconds, 3 * (5.0 + 2e-3));
  EXPECT_EQ(estimate_of({.name = "none"}).bound, Bound::nothing);
}

TEST(WorkTest, FilesAreSharedByAllRanks) {
  const cost::WorkPart part{.name = "part", .read_bytes = 2e9, .written_bytes = 1e9, .memory_bytes = 3e9};
  EXPECT_DOUBLE_EQ(estimate_of(part).seconds, 2.0 + 2.0);
  EXPECT_EQ(estimate_of(part).bound, Bound::files);
  EXPECT_DOUBLE_EQ(estimate_of(part, 8).seconds, 8 * 4.0);
  cost::MachineDescription machine = round_numbers();
  machine.file_read = 0;
  EXPECT_DOUBLE_EQ(estimate_of(part, 1, 1, machine).seconds, 3.0);
  EXPECT_EQ(estimate_of({.name = "read", .read_bytes = 1}, 1, 1, machine).bound, Bound::unknown);
}

// A node has 4 of the 8 ranks. A rank sends 3 of its 7 messages within the node.
TEST(WorkTest, MessagesGoToRanksOnAllNodes) {
  const cost::WorkPart part{.name = "part", .messages = 7, .message_bytes = 700};
  EXPECT_DOUBLE_EQ(estimate_of(part, 4).seconds, 7e-3 + 700e-6);
  EXPECT_NEAR(estimate_of(part, 8).seconds, 3e-3 + 300e-6 + 4e-2 + 400e-5, 1e-12);
  EXPECT_EQ(estimate_of(part, 8).bound, Bound::latency);
  cost::MachineDescription machine = round_numbers();
  machine.between_nodes.reset();
  EXPECT_DOUBLE_EQ(estimate_of(part, 8, 1, machine).seconds, 7e-3 + 700e-6);
  EXPECT_EQ(estimate_of({.name = "long", .messages = 1, .message_bytes = 1e6}, 8).bound, Bound::bandwidth);
}

TEST(WorkTest, PartsFollowEachOther) {
  const cost::Work work{.parts = {{.name = "a", .memory_bytes = 1e9}, {.name = "b", .operations = 2e9}}};
  const cost::RankEstimate rank = cost::estimate(work, round_numbers(), 1, 1);
  EXPECT_DOUBLE_EQ(rank.seconds, 3);
  EXPECT_EQ(rank.steps[1].node, 1);
}

}  // namespace
}  // namespace tessera::test
