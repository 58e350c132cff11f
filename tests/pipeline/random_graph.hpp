// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "pipeline/array_source.hpp"
#include "pipeline/random_schedule.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/plan/plan.hpp"

namespace tessera::test {

/// One stage: the kind of its body (see random_bodies.hpp), its weight, and the arrays it reads (by id,
/// inputs of the pipeline first).
struct GraphStage {
  int kind = 0;
  float weight = 0.5f;
  int inputs[2] = {0, 0};

  static constexpr int kinds = 9;
  bool reads_two() const { return kind >= 7; }
};

/// A random pipeline of float stages on one or two inputs, with one or more outputs.
struct Graph {
  std::vector<WholeArray<float>> inputs;
  /// By input.
  std::vector<BoundaryConditions> boundaries;
  std::vector<GraphStage> stages;
  /// By stage; empty when the stage is no output.
  std::vector<Box> outputs;
  Pipeline pipeline;

  int array_count() const { return static_cast<int>(inputs.size() + stages.size()); }
  std::string name(int array) const { return pipeline[ArrayId{array}].name; }
  std::string text() const {
    std::string text;
    for (const GraphStage& stage : stages) {
      text.append(text.empty() ? "" : ", ").append("kind ").append(std::to_string(stage.kind));
      text.append(" of ").append(std::to_string(stage.inputs[0]));
      if (stage.reads_two()) text.append(" and ").append(std::to_string(stage.inputs[1]));
    }
    return text;
  }
};

/// Makes the pipeline of a graph out of the rest.
void declare(Graph& graph);

/// Any mixture of conditions; clamp everywhere in half of the cases.
BoundaryConditions random_boundary(Random& random);

/// `exact`: all weights are powers of two.
Graph random_graph(Random& random, bool exact);

}  // namespace tessera::test
