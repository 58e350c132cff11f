// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/random_plans.hpp"

#include <gtest/gtest.h>

#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"

namespace tessera::test {

std::vector<Plan> random_plans(Random& random, const Graph& graph, int most_ranks) {
  Target target;
  target.threads = random.small(1, 3);
  target.cache_bytes = random.one_of<std::int64_t>({0, 1, 500});
  return make_plans(graph.pipeline, random_schedule(random, graph.pipeline), target,
                    random.small(1, most_ranks));
}

std::vector<WholeArray<float>> rehearse(const Graph& graph, const std::vector<Plan>& plans) {
  Bindings bindings;
  std::vector<ArraySource<float>> sources(graph.inputs.begin(), graph.inputs.end());
  for (std::size_t i = 0; i < sources.size(); ++i)
    bindings.sources[graph.name(static_cast<int>(i))] = &sources[i];
  std::vector<ArraySink<float>> sinks(graph.outputs.begin(), graph.outputs.end());
  for (std::size_t i = 0; i < sinks.size(); ++i)
    if (!graph.outputs[i].empty())
      bindings.sinks[graph.name(static_cast<int>(graph.inputs.size() + i))] = &sinks[i];
  Rehearsal(graph.pipeline, plans).run(bindings);
  std::vector<WholeArray<float>> results;
  for (const auto& sink : sinks) {
    EXPECT_TRUE(sink.every_point_written_once());
    results.push_back(sink.array);
  }
  return results;
}

}  // namespace tessera::test
