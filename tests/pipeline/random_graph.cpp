// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/random_graph.hpp"

#include "pipeline/random_bodies.hpp"

namespace tessera::test {

void declare(Graph& graph) {
  for (std::size_t i = 0; i < graph.inputs.size(); ++i)
    graph.pipeline.input<float, 2>(i == 0 ? "in0" : "in1", graph.inputs[i].box, graph.boundaries[i]);
  for (std::size_t i = 0; i < graph.stages.size(); ++i) {
    const GraphStage& stage = graph.stages[i];
    const std::string name(1, static_cast<char>('a' + i));
    const Array<float, 2> first{ArrayId{stage.inputs[0]}}, second{ArrayId{stage.inputs[1]}};
    Array<float, 2> array{};
    if (stage.reads_two())
      with_body_of_two(
          stage, [&](const auto& body) { array = graph.pipeline.stage<float>(name, body, first, second); });
    else
      with_body(stage, [&](const auto& body) { array = graph.pipeline.stage<float>(name, body, first); });
    if (!graph.outputs[i].empty()) graph.pipeline.output(array, graph.outputs[i]);
  }
}

BoundaryConditions random_boundary(Random& random) {
  BoundaryConditions conditions(Boundary::clamp);
  conditions.set_constant(1.5f);
  const std::vector kinds = {Boundary::clamp, Boundary::mirror, Boundary::mirror_interior,
                             Boundary::constant};
  for (auto& side : conditions.side) {
    if (random.chance(50)) side = {random.one_of(kinds), random.one_of(kinds)};
    if (random.chance(25)) side = {Boundary::periodic, Boundary::periodic};
  }
  return conditions;
}

Graph random_graph(Random& random, bool exact) {
  Graph graph;
  const int input_count = random.small(1, 2);
  for (int i = 0; i < input_count; ++i) {
    graph.inputs.emplace_back(random.box(2, -3, 3, 24));
    for (float& value : graph.inputs.back().values) value = static_cast<float>(random.real(-4, 4));
    graph.boundaries.push_back(random_boundary(random));
  }
  graph.stages.resize(static_cast<std::size_t>(random.small(3, 5)));
  std::vector<bool> is_read(static_cast<std::size_t>(graph.array_count()), false);
  int arrays = input_count;
  for (GraphStage& stage : graph.stages) {
    stage.kind = random.small(0, GraphStage::kinds - 1);
    stage.weight =
        exact ? random.one_of<float>({0.5f, -2.0f, 0.25f}) : static_cast<float>(random.real(-1, 1));
    // Mostly chains, with branches.
    for (int& input : stage.inputs) input = random.chance(60) ? arrays - 1 : random.small(0, arrays - 1);
    is_read[static_cast<std::size_t>(stage.inputs[0])] = true;
    if (stage.reads_two()) is_read[static_cast<std::size_t>(stage.inputs[1])] = true;
    ++arrays;
  }
  for (std::size_t i = 0; i < graph.stages.size(); ++i) {
    const bool output = !is_read[graph.inputs.size() + i] || random.chance(15);
    graph.outputs.push_back(output ? random.box(2, -4, 4, 22) : Box{{0, 0}, {0, 0}});
  }
  declare(graph);
  return graph;
}

}  // namespace tessera::test
