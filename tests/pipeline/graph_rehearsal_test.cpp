// SPDX-License-Identifier: BSD-3-Clause
// Pipelines of any shape: a schedule never changes a bit.
#include <gtest/gtest.h>

#include "pipeline/plain_evaluation.hpp"
#include "pipeline/random_plans.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"

namespace {

using namespace tessera;
using test::Graph;
using test::Point;

std::vector<test::WholeArray<float>> rehearse(const Graph& graph, const Schedule& schedule, int threads,
                                              int ranks) {
  return test::rehearse(graph, make_plans(graph.pipeline, schedule, {threads, false}, ranks));
}

TEST(GraphRehearsal, RandomSchedulesGiveTheBitsOfAPlainEvaluation) {
  test::Random random(91);
  for (int i = 0; i < 150; ++i) {
    const Graph graph = test::random_graph(random, true);
    const Schedule schedule = test::random_schedule(random, graph.pipeline);
    const int ranks = test::random_rank_count(random);
    const auto results = rehearse(graph, schedule, random.small(1, 3), ranks);
    test::PlainEvaluation plain(graph);
    for (std::size_t k = 0; k < graph.stages.size(); ++k) {
      std::int64_t wrong = 0;
      test::for_each_point(graph.outputs[k], [&](const Point& p) {
        const float expected = plain.value(static_cast<int>(graph.inputs.size() + k), static_cast<int>(p[0]),
                                           static_cast<int>(p[1]));
        wrong += std::memcmp(&results[k].at(p), &expected, sizeof(float)) != 0;
      });
      EXPECT_EQ(wrong, 0) << graph.text() << "; output " << k << "; " << test::to_string(schedule) << " on "
                          << ranks;
    }
  }
}

TEST(GraphRehearsal, AnyTwoSchedulesGiveTheSameBits) {
  test::Random random(92);
  for (int i = 0; i < 60; ++i) {
    const Graph graph = test::random_graph(random, false);
    const auto expected = rehearse(graph, {}, 1, 1);
    for (int k = 0; k < 3; ++k) {
      const Schedule schedule = test::random_schedule(random, graph.pipeline);
      const int ranks = test::random_rank_count(random);
      const auto results = rehearse(graph, schedule, random.small(1, 3), ranks);
      for (std::size_t s = 0; s < results.size(); ++s)
        EXPECT_TRUE(results[s].same_bits(expected[s]))
            << graph.text() << "; output " << s << "; " << test::to_string(schedule) << " on " << ranks;
    }
  }
}

TEST(GraphRehearsal, EveryStageButTheOutputsInTiles) {
  test::Random random(93);
  for (int i = 0; i < 60; ++i) {
    const Graph graph = test::random_graph(random, true);
    const auto expected = rehearse(graph, {}, 1, 1);
    Schedule schedule;
    for (const ArrayDeclaration& stage : graph.pipeline.arrays()) {
      if (stage.is_input()) continue;
      if (!stage.is_output) schedule.stages[stage.name].placement = Placement::tile;
      schedule.stages[stage.name].tile = test::random_tile(random, 2);
    }
    for (int ranks : {1, 3}) {
      const auto results = rehearse(graph, schedule, 2, ranks);
      for (std::size_t s = 0; s < results.size(); ++s)
        EXPECT_TRUE(results[s].same_bits(expected[s]))
            << graph.text() << "; output " << s << "; " << test::to_string(schedule) << " on " << ranks;
    }
  }
}

TEST(GraphRehearsal, WideRowsInTiles) {
  // Wide enough for rows that are computed in several parts.
  test::Random random(94);
  for (int i = 0; i < 8; ++i) {
    Graph graph = test::random_graph(random, true);
    graph.pipeline = Pipeline();
    for (Box& output : graph.outputs)
      if (!output.empty())
        output = {{random.small(-40, 0), random.small(5000, 9000)}, {0, random.small(1, 9)}};
    test::declare(graph);
    const auto expected = rehearse(graph, {}, 1, 1);
    Schedule schedule;
    for (const ArrayDeclaration& stage : graph.pipeline.arrays())
      if (!stage.is_input() && !stage.is_output) schedule.stages[stage.name].placement = Placement::tile;
    const auto results = rehearse(graph, schedule, 2, 2);
    for (std::size_t s = 0; s < results.size(); ++s)
      EXPECT_TRUE(results[s].same_bits(expected[s])) << graph.text() << "; output " << s;
  }
}

/// A chain of stages, each one point wider than the one before.
struct Shift {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x) const {
    return in(x + 1) + 1;
  }
};

TEST(GraphRehearsal, LongChainsInTiles) {
  test::WholeArray<std::int32_t> image(Box{{0, 50}});
  for (std::size_t i = 0; i < image.values.size(); ++i) image.values[i] = static_cast<int>(i * i);
  for (int length : {2, 63, 64, 65, 99}) {
    Pipeline pipeline;
    auto last = pipeline.input<std::int32_t, 1>("input", image.box, Boundary::clamp);
    Schedule schedule;
    for (int i = 0; i < length; ++i) {
      const std::string name = std::string("s").append(std::to_string(i));
      last = pipeline.stage<std::int32_t>(name, Shift{}, last);
      if (i + 1 < length) schedule.stages[name].placement = Placement::tile;
    }
    pipeline.output(last);
    test::ArraySource<std::int32_t> source(image);
    test::ArraySink<std::int32_t> sink(image.box);
    Rehearsal(pipeline, make_plans(pipeline, schedule, {}, 3))
        .run({{{"input", &source}}, {{pipeline.arrays().back().name, &sink}}});
    test::for_each_point(image.box, [&](const Point& p) {
      EXPECT_EQ(sink.array.at(p), image.clamped({{p[0] + length, 0, 0, 0}}) + length) << length;
    });
  }
}

}  // namespace
