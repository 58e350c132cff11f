// SPDX-License-Identifier: BSD-3-Clause
// Pipelines of stages of every kind on real ranks: a schedule never changes a bit.
#include <gtest/gtest.h>

#include "pipeline/mixed_graph.hpp"
#include "pipeline/world.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/plan_instance.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"

namespace {

using namespace tessera;
using test::MixedBindings;
using test::MixedGraph;
using test::Point;

/// This rank's part of every output, all of it written `times` times, and equal to what one rank computes.
void expect_parts(const MixedGraph& graph, const Plan& plan, const MixedBindings& found,
                  const MixedBindings& expected, int times, const std::string& text) {
  for (const ArrayId id : found.sinks.ids()) {
    if (found.sinks[id] == nullptr) continue;
    std::int64_t wrong = 0;
    test::for_each_point(found.sinks[id]->array.box, [&](const Point& p) {
      const bool mine = contains(plan.stages[id].owned, p);
      wrong += found.sinks[id]->writes.at(p) != (mine ? times : 0);
      const double value = found.sinks[id]->array.at(p), other = expected.sinks[id]->array.at(p);
      wrong += mine && std::memcmp(&value, &other, sizeof value) != 0;
    });
    EXPECT_EQ(wrong, 0) << graph.pipeline[id].name << " of " << text << ", rank " << test::world_rank()
                        << " of " << test::world_size();
  }
}

TEST(MixedRun, AnyScheduleGivesTheBitsOfOneRank) {
  test::Random random(211);
  const int ranks = test::world_size();
  for (int i = 0; i < 30; ++i) {
    const MixedGraph graph = test::random_mixed_graph(random, false, random.small(2, 12));
    const Schedule schedule = test::random_mixed_schedule(random, graph.pipeline, ranks);
    const std::string text = std::string(graph.text).append("; ").append(test::to_string(schedule));
    Target target;
    target.threads = random.small(1, 3);
    target.cache_bytes = random.one_of<std::int64_t>({0, 1, 500});
    target.device = !runs_on_host || random.chance(20);
    const Transport transport{runs_on_host, random.chance(30)};
    const HostMode mode = random.chance(30) ? HostMode::calling_thread : HostMode::kernels;
    MixedBindings expected(graph), found(graph);
    Rehearsal(graph.pipeline, make_plans(graph.pipeline, {}, {}, 1)).run(expected.bindings);
    const Plan plan = make_plan(graph.pipeline, schedule, target, ranks, test::world_rank());
    PlanInstance instance(graph.pipeline, plan, MPI_COMM_WORLD, transport,
                          target.device ? HostMode::kernels : mode);
    const int times = random.small(1, 3);
    for (int round = 0; round < times; ++round) instance.run(found.bindings);
    expect_parts(graph, plan, found, expected, times, text);
  }
}

}  // namespace
