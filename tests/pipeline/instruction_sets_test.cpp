// SPDX-License-Identifier: BSD-3-Clause
// The instructions that kernels use never change a bit.
#include <gtest/gtest.h>

#include "pipeline/limited_instructions.hpp"
#include "pipeline/random_plans.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"

namespace {

using namespace tessera;

TEST(InstructionSets, AreLimitedToThoseOfTheProcessor) {
  const InstructionSet greatest = instruction_set();
  for (const InstructionSet most : test::all_instruction_sets) {
    const test::LimitedInstructions limited(most);
    EXPECT_EQ(instruction_set(), std::min(most, greatest));
  }
  EXPECT_EQ(instruction_set(), greatest);
}

/// Compares the results of a graph with every set of instructions with those of the smallest set.
void expect_same_bits(const test::Graph& graph, test::Random& random) {
  const auto expected = [&graph] {
    const test::LimitedInstructions limited(InstructionSet::baseline);
    return test::rehearse(graph, make_plans(graph.pipeline, {}, {1, false}, 1));
  }();
  for (const InstructionSet most : test::all_instruction_sets) {
    const test::LimitedInstructions limited(most);
    const Schedule schedule = test::random_schedule(random, graph.pipeline);
    const int ranks = test::random_rank_count(random);
    const auto results =
        test::rehearse(graph, make_plans(graph.pipeline, schedule, {random.small(1, 3), false}, ranks));
    for (std::size_t s = 0; s < results.size(); ++s)
      EXPECT_TRUE(results[s].same_bits(expected[s]))
          << to_string(most) << ": " << graph.text() << "; output " << s << "; " << test::to_string(schedule)
          << " on " << ranks;
  }
}

TEST(InstructionSets, GiveTheSameBits) {
  test::Random random(95);
  for (int i = 0; i < 100; ++i) expect_same_bits(test::random_graph(random, false), random);
}

TEST(InstructionSets, GiveTheSameBitsInLongRows) {
  test::Random random(96);
  for (int i = 0; i < 8; ++i) {
    test::Graph graph = test::random_graph(random, false);
    graph.pipeline = Pipeline();
    for (Box& output : graph.outputs)
      if (!output.empty())
        output = {{random.small(-40, 0), random.small(5000, 9000)}, {0, random.small(1, 40)}};
    test::declare(graph);
    expect_same_bits(graph, random);
  }
}

}  // namespace
