// SPDX-License-Identifier: BSD-3-Clause
// Programs of tasks on groups of ranks: groups never change a bit.
#include "tessera/group/program_run.hpp"

#include <gtest/gtest.h>

#include "group/random_program.hpp"
#include "tessera/group/allocation.hpp"
#include "tessera/group/program_plan.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"

namespace {

using namespace tessera;
using test::MixedBindings;
using test::RandomProgram;

void expect_bits_of_pipeline(const RandomProgram& sample) {
  MixedBindings expected(sample.graph), found(sample.graph);
  Rehearsal(sample.graph.pipeline, make_plans(sample.graph.pipeline, {}, {}, 1)).run(expected.bindings);
  const group::ProgramPlanner planner(sample.program, sample.schedule, sample.target);
  group::ProgramRehearsal(sample.program, planner.plans()).run(test::program_bindings(found));
  for (const ArrayId id : found.sinks.ids())
    if (found.sinks[id] != nullptr) {
      EXPECT_TRUE(found.sinks[id]->array.same_bits(expected.sinks[id]->array))
          << "array " << to_int(id) << " of " << sample.text();
      EXPECT_EQ(found.sinks[id]->writes.values, std::vector<int>(found.sinks[id]->writes.values.size(), 1))
          << sample.text();
    }
}

#ifdef TESSERA_TEST_FEWER
constexpr int cases = 60;
#else
constexpr int cases = 300;
#endif

TEST(ProgramRehearsal, AnyGroupsGiveTheBitsOfThePipeline) {
  test::Random random(321);
  int with_edges = 0;
  for (int i = 0; i < cases; ++i) {
    const RandomProgram sample = test::random_program(random, random.small(1, 9));
    with_edges += sample.program.task_count() > 2 ? 1 : 0;
    expect_bits_of_pipeline(sample);
  }
  EXPECT_GT(with_edges, cases / 2);
}

TEST(ProgramRehearsal, EveryAllocationGivesTheBitsOfThePipeline) {
  test::Random random(324);
  for (int i = 0; i < cases; ++i) {
    RandomProgram sample = test::random_program(random, random.small(1, 9));
    std::vector<cost::TaskCost> costs;
    for (int task = 0; task < sample.program.task_count(); ++task)
      costs.push_back(cost::TaskCost::amdahl(random.small(1, 9), 0.1 * random.small(0, 10)));
    for (const auto strategy : {group::Strategy::data, group::Strategy::task, group::Strategy::mixed}) {
      group::AllocationSettings settings;
      settings.strategy = strategy;
      settings.most_schedules = 20;
      sample.schedule = group::allocate(group::task_graph(sample.program, costs), sample.ranks, settings);
      expect_bits_of_pipeline(sample);
    }
  }
}

TEST(ProgramRehearsal, SixtyFourRanks) {
  test::Random random(322);
  for (int i = 0; i < cases / 15; ++i) expect_bits_of_pipeline(test::random_program(random, 64));
}

TEST(ProgramRehearsal, EveryTaskOnAllRanks) {
  test::Random random(323);
  for (int i = 0; i < cases / 5; ++i) {
    RandomProgram sample = test::random_program(random, random.small(1, 6));
    sample.schedule = group::data_parallel_schedule(sample.program, sample.ranks, sample.ranks);
    expect_bits_of_pipeline(sample);
  }
}

}  // namespace
