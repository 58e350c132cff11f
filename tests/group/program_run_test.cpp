// SPDX-License-Identifier: BSD-3-Clause
// Programs on the ranks of MPI.
#include "tessera/group/program_run.hpp"

#include <gtest/gtest.h>

#include "group/random_program.hpp"
#include "pipeline/world.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"

namespace {

using namespace tessera;
using test::MixedBindings;
using test::RandomProgram;

TEST(ProgramRun, AnyGroupsGiveTheBitsOfThePipeline) {
  test::Random random(331);
  for (int i = 0; i < 60; ++i) {
    RandomProgram sample = test::random_program(random, test::world_size());
    sample.target.threads = 1;
    MixedBindings expected(sample.graph), found(sample.graph);
    Rehearsal(sample.graph.pipeline, make_plans(sample.graph.pipeline, {}, {}, 1)).run(expected.bindings);
    const group::ProgramPlanner planner(sample.program, sample.groups, sample.target, sample.ranks);
    group::ProgramInstance instance(sample.program, planner.plan(test::world_rank()), MPI_COMM_WORLD);
    for (int run = 0; run < 2; ++run) instance.run(test::program_bindings(found));
    EXPECT_EQ(instance.times().size(), instance.plan().steps.size());
    for (std::size_t id = 0; id < found.sinks.size(); ++id) {
      if (found.sinks[id] == nullptr) continue;
      const auto& written = found.sinks[id]->writes;
      test::for_each_point(written.box, [&](const test::Point& p) {
        if (written.at(p) == 0) return;
        EXPECT_EQ(written.at(p), 2) << sample.text();
        const double value = found.sinks[id]->array.at(p), wanted = expected.sinks[id]->array.at(p);
        EXPECT_EQ(std::memcmp(&value, &wanted, sizeof value), 0) << sample.text();
      });
    }
  }
}

}  // namespace
