// SPDX-License-Identifier: BSD-3-Clause
// Windows, inner tiles and tiles in tiles: they never change a bit.
#include <gtest/gtest.h>

#include "pipeline/mixed_graph.hpp"
#include "pipeline/random_plans.hpp"
#include "pipeline/random_windows.hpp"
#include "tessera/pipeline/plan/tiles.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"

namespace {

using namespace tessera;
using test::MixedBindings;
using test::MixedGraph;
using test::Point;

/// How often something happened in the plans of a test. Without it, the test would show nothing.
struct Seen {
  int windows = 0, kept = 0, moved = 0, outer = 0;

  void add(const plan::Compute& step) {
    const InnerTiles tiles(step.parts, step.tile, step.inner);
    for (std::size_t m = 0; m < step.placements.size(); ++m) {
      outer += step.placements[m] == Placement::outer_tile;
      if (step.placements[m] != Placement::window) continue;
      ++windows;
      bool keeps = false, moves = false;
      for (std::int64_t t = 0; t < tiles.tiles().size(); ++t) {
        Box column;
        for (std::int64_t number = tiles.first(t); number < tiles.first(t + 1); ++number) {
          const bool is_first = number == tiles.first(t);
          const Box& box = step.boxes[static_cast<std::size_t>(number) * step.placements.size() + m];
          const Box rows = computed_box(step, number, is_first, m);
          if (rows == box) column = {};
          keeps = keeps || (!(rows == box) && !rows.empty());
          column = hull(column, box);
          for (const plan::Scratch& scratch : step.scratch)
            moves = moves || (scratch.array == step.members[m] && scratch.rows > 0 && !column.empty() &&
                              column[1].size() > scratch.rows);
        }
      }
      kept += keeps;
      moved += moves;
    }
  }
  void add(const std::vector<Plan>& plans) {
    for (const Plan& plan : plans)
      walk(plan.root, [this](const PlanNode& node) {
        if (const auto* step = std::get_if<plan::Compute>(&node.step)) add(*step);
      });
  }
};

void rehearse(const MixedGraph& graph, const std::vector<Plan>& plans, MixedBindings& bindings) {
  Rehearsal(graph.pipeline, plans).run(bindings.bindings);
}

#ifdef TESSERA_TEST_FEWER
constexpr int cases = 200;
#else
constexpr int cases = 300;
#endif

TEST(WindowsRehearsal, PipelinesOfEveryKindOfStage) {
  test::Random random(1301);
  Seen seen;
  for (int i = 0; i < cases; ++i) {
    const MixedGraph graph = test::random_mixed_graph(random, true, random.small(2, 12));
    const int ranks = random.chance(60) ? 1 : random.small(2, 9);
    Schedule schedule = test::random_mixed_schedule(random, graph.pipeline, ranks);
    test::add_random_windows(random, graph.pipeline, schedule);
    Target target;
    target.threads = random.small(1, 3);
    target.device = !runs_on_host || random.chance(10);
    const std::vector<Plan> plans = make_plans(graph.pipeline, schedule, target, ranks);
    seen.add(plans);
    const std::string text = graph.text + "; " + test::to_string(schedule) + " on " + std::to_string(ranks);
    MixedBindings found(graph);
    rehearse(graph, plans, found);
    test::PlainValues plain(graph);
    for (ArrayId id : graph.pipeline.ids()) {
      const auto& sink = found.sinks[id];
      if (sink == nullptr) continue;
      test::WholeArray<double> expected(sink->array.box);
      test::for_each_point(expected.box, [&](const Point& p) { expected.at(p) = plain.value(id, p); });
      EXPECT_TRUE(sink->array.same_bits(expected)) << graph.pipeline[id].name << " of " << text;
      EXPECT_EQ(sink->writes.values, std::vector<int>(sink->writes.values.size(), 1)) << text;
    }
  }
  EXPECT_GT(seen.windows, cases);
  EXPECT_GT(seen.kept, cases / 10);
  EXPECT_GT(seen.moved, cases / 50);
  EXPECT_GT(seen.outer, cases / 4);
}

TEST(WindowsRehearsal, ChainsAndDiamondsOfStencils) {
  test::Random random(1302);
  Seen seen;
  for (int i = 0; i < cases / 2; ++i) {
    test::Graph graph = test::random_graph(random, false);
    if (random.chance(60)) {
      // High enough for windows that reach the end of their memory.
      graph.pipeline = Pipeline();
      for (Box& output : graph.outputs)
        if (!output.empty()) output = {{random.small(-9, 0), random.small(1, 20)}, {0, random.small(20, 70)}};
      test::declare(graph);
    }
    const auto expected = test::rehearse(graph, make_plans(graph.pipeline, {}, {}, 1));
    Schedule schedule;
    for (const ArrayDeclaration& stage : graph.pipeline.arrays()) {
      if (stage.is_input()) continue;
      if (!stage.is_output) schedule.stages[stage.name].placement = Placement::tile;
      schedule.stages[stage.name].tile = test::random_tile(random, 2);
    }
    test::add_random_windows(random, graph.pipeline, schedule);
    const int ranks = random.small(1, 3);
    const std::vector<Plan> plans = make_plans(graph.pipeline, schedule, {2, false}, ranks);
    seen.add(plans);
    const std::string text = graph.text() + "; " + test::to_string(schedule) + " on " + std::to_string(ranks);
    const auto results = test::rehearse(graph, plans);
    for (std::size_t s = 0; s < results.size(); ++s)
      EXPECT_TRUE(results[s].same_bits(expected[s])) << text << "; output " << s;
  }
  EXPECT_GT(seen.kept, cases / 4);
  EXPECT_GT(seen.outer, cases / 20);
}

}  // namespace
