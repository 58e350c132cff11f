// SPDX-License-Identifier: BSD-3-Clause
// Estimates of exchanges and of global reductions, against sums made by hand.
#include "cost/estimate_sample.hpp"
#include "tessera/view/reductions.hpp"

namespace tessera::test {
namespace {

using cost::Bound;

/// Within a node a message takes 1 ms and 1 us per byte, and between nodes ten times as long.
cost::MachineDescription two_networks() {
  cost::MachineDescription machine = memory_only();
  machine.within_node = {1e-3, 1e-6};
  machine.between_nodes = cost::NetworkCost{1e-2, 1e-5};
  return machine;
}

constexpr double row_bytes = 64 * 4;

cost::StepEstimate of_exchange(int rank, const cost::MachineDescription& machine, int threads = 1) {
  const Pipeline pipeline = one_stage(Column(), Boundary::clamp);
  const Plan plan = plan_of(pipeline, threads, 8, rank);
  return step_of(pipeline, plan, estimate(pipeline, plan, machine), "exchange in");
}

// The ranks 0 to 3 are on one node. Rank 1 has a row for each of its neighbours, and rank 3 has one of its
// neighbours on the other node.
TEST(EstimateMessagesTest, EachMessageHasALatencyAndItsBytes) {
  const cost::MachineDescription machine = two_networks();
  const double within = 1e-3 + row_bytes * 1e-6, between = 1e-2 + row_bytes * 1e-5;
  EXPECT_DOUBLE_EQ(of_exchange(0, machine).seconds, within);
  EXPECT_DOUBLE_EQ(of_exchange(1, machine).seconds, 2 * within);
  EXPECT_DOUBLE_EQ(of_exchange(3, machine).seconds, within + between);
  EXPECT_EQ(of_exchange(1, machine).bound, Bound::latency);
  // Four threads take the cores of a node, so that all neighbours are on other nodes.
  EXPECT_DOUBLE_EQ(of_exchange(1, machine, 4).seconds, 2 * between);
}

TEST(EstimateMessagesTest, LongMessagesAreBoundByTheirBytes) {
  cost::MachineDescription machine = two_networks();
  machine.within_node.latency_seconds = 1e-9;
  EXPECT_EQ(of_exchange(1, machine).bound, Bound::bandwidth);
  machine.between_nodes.reset();
  EXPECT_DOUBLE_EQ(of_exchange(3, machine).seconds, 2 * (1e-9 + row_bytes * 1e-6));
}

TEST(EstimateMessagesTest, OverlappedMessagesWaitForWhatIsLeft) {
  const Pipeline pipeline = one_stage(Column(), Boundary::clamp);
  const Plan plan = plan_of(pipeline, 1, 2, 0, Overlap::on);
  cost::MachineDescription machine = memory_only();
  const auto wait_of = [&] {
    const cost::RankEstimate rank = estimate(pipeline, plan, machine);
    cost::StepEstimate wait;
    double before = 0;
    walk(plan.root, [&](const PlanNode& node) {
      if (!std::holds_alternative<plan::FinishExchange>(node.step)) return;
      const int exchange = std::get<plan::FinishExchange>(node.step).exchange;
      for (const cost::StepEstimate& step : rank.steps) {
        if (step.node == exchange) {
          EXPECT_EQ(step.seconds, 0);
        }
        if (step.node > exchange && step.node < node.id) before += step.seconds;
        if (step.node == node.id) wait = step;
      }
    });
    return std::pair(wait, before);
  };
  machine.within_node = {1e-12, 0};
  EXPECT_EQ(wait_of().first.bound, Bound::hidden);
  EXPECT_EQ(wait_of().first.seconds, 0);
  machine.within_node = {1, 0};
  const auto [wait, before] = wait_of();
  EXPECT_GT(before, 0);
  EXPECT_DOUBLE_EQ(wait.seconds, 1 - before);
  EXPECT_EQ(wait.bound, Bound::latency);
}

// A tree over 8 ranks has three levels. Two of them are within a node of four cores.
TEST(EstimateMessagesTest, ReductionsTakeAMessageForEachLevelOfATree) {
  Pipeline pipeline;
  const auto in = pipeline.input<std::int32_t, 2>("in", image);
  pipeline.output(pipeline.reduce("most", Maximum<std::int32_t>(), in, image));
  const auto seconds = [&](int ranks, const cost::MachineDescription& machine) {
    const Plan plan = plan_of(pipeline, 1, ranks);
    return step_of(pipeline, plan, estimate(pipeline, plan, machine), "reduce most").seconds;
  };
  const auto bytes = static_cast<double>(pipeline[pipeline.find("most")].reduction()->value_bytes());
  const double within = 1e-3 + bytes * 1e-6, between = 1e-2 + bytes * 1e-5;
  EXPECT_EQ(seconds(1, two_networks()), 0);
  EXPECT_DOUBLE_EQ(seconds(2, two_networks()), within);
  EXPECT_DOUBLE_EQ(seconds(3, two_networks()), 2 * within);
  EXPECT_DOUBLE_EQ(seconds(8, two_networks()), 2 * within + between);
  cost::MachineDescription one_network = two_networks();
  one_network.between_nodes.reset();
  EXPECT_DOUBLE_EQ(seconds(8, one_network), 3 * within);
}

// Thousands of ranks need neither MPI nor time.
TEST(EstimateMessagesTest, AnyRankOfThousandsIsEstimatedAlone) {
  Pipeline pipeline;
  const Box large{{0, 1 << 16}, {0, 1 << 16}};
  pipeline.output(
      pipeline.stage<float>("out", Column(), pipeline.input<float, 2>("in", large, Boundary::clamp)), large);
  const Plan plan = plan_of(pipeline, 1, 4096, 2048);
  const cost::RankEstimate rank = estimate(pipeline, plan, two_networks());
  EXPECT_EQ(rank.rank, 2048);
  const double row = 4.0 * (1 << 16);
  EXPECT_DOUBLE_EQ(step_of(pipeline, plan, rank, "exchange in").seconds,
                   1e-3 + row * 1e-6 + 1e-2 + row * 1e-5);
}

}  // namespace
}  // namespace tessera::test
