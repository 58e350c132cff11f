// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <memory>
#include <tuple>

#include "pipeline/array_source.hpp"
#include "pipeline/random_schedule.hpp"
#include "tessera/pipeline/plan.hpp"

namespace tessera::test {

// Bodies of many kinds. With a power of two as weight a product is exact, so that contraction into fused
// multiply-adds changes nothing and a plain evaluation must give the same bits.

struct Skewed {
  float weight;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    // Several products: a compiler that contracts has a choice.
    return in(x - 1, y) * weight + in(x, y + 2) * (weight / 2) - in(x + 1, y) * weight;
  }
};
struct Down {
  float weight;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(2 * x, y) + in(2 * x + 1, y - 1) * weight;
  }
};
struct Up {
  float weight;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(x / 2, y / 2) * weight + in((x + 1) / 2, y);
  }
};
struct Transposed {
  float weight;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(y, x) - in(y + 1, x) * weight;
  }
};
struct Displaced {
  float weight;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    const auto shift = clamp(cast<int>(in(x, y)), -2, 3);
    return in(x + shift, y - 1) * weight + in(x, y + shift);
  }
};
struct Branching {
  float weight;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    auto value = in(x, y);
    if (value > 0.25f) value = in(x - 2, y) * weight;
    return select(in(x, y - 1) < value, value, in(x + 1, y) + 1.0f);
  }
};
struct RowSum {
  float weight;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    auto sum = in.zero();
    for (int i = -2; i <= 1; ++i) sum += in(x + i, y) * weight;
    return sum;
  }
};
struct Mixed {
  float weight;
  template <class A, class B, class Coord>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b, Coord x, Coord y) const {
    return a(x, y + 1) - b(x + 1, y - 1) * weight;
  }
};
/// Reads its second input only in a part of the plane.
struct Sided {
  float weight;
  template <class A, class B, class Coord>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b, Coord x, Coord y) const {
    auto value = a(x, y) * weight;
    if (y > 5) value += b(x, y + 3);
    if (x > 2500) value += b(x - 1, y);
    return value;
  }
};

/// One stage: the kind of its body, its weight, and the arrays it reads (by id, inputs of the pipeline
/// first).
struct GraphStage {
  int kind = 0;
  float weight = 0.5f;
  int inputs[2] = {0, 0};

  static constexpr int kinds = 9;
  bool reads_two() const { return kind >= 7; }

  /// Calls use(body) with the body of a stage that reads two arrays.
  template <class Use>
  auto with_body_of_two(const Use& use) const {
    return kind == 7 ? use(Mixed{weight}) : use(Sided{weight});
  }
  /// Calls use(body) with the body of a stage that reads one.
  template <class Use>
  auto with_body(const Use& use) const {
    switch (kind) {
      case 0:
        return use(Skewed{weight});
      case 1:
        return use(Down{weight});
      case 2:
        return use(Up{weight});
      case 3:
        return use(Transposed{weight});
      case 4:
        return use(Displaced{weight});
      case 5:
        return use(Branching{weight});
      default:
        return use(RowSum{weight});
    }
  }
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
  std::string name(int array) const { return pipeline[array].name; }
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

inline void declare(Graph& graph) {
  for (std::size_t i = 0; i < graph.inputs.size(); ++i)
    graph.pipeline.input<float, 2>(i == 0 ? "in0" : "in1", graph.inputs[i].box, graph.boundaries[i]);
  for (std::size_t i = 0; i < graph.stages.size(); ++i) {
    const GraphStage& stage = graph.stages[i];
    const std::string name(1, static_cast<char>('a' + i));
    const Array<float, 2> first{stage.inputs[0]}, second{stage.inputs[1]};
    Array<float, 2> array{0};
    if (stage.reads_two())
      stage.with_body_of_two(
          [&](const auto& body) { array = graph.pipeline.stage<float>(name, body, first, second); });
    else
      stage.with_body([&](const auto& body) { array = graph.pipeline.stage<float>(name, body, first); });
    if (!graph.outputs[i].empty()) graph.pipeline.output(array, graph.outputs[i]);
  }
}

/// Any mixture of conditions; clamp everywhere in half of the cases.
inline BoundaryConditions random_boundary(Random& random) {
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

/// `exact`: all weights are powers of two.
inline Graph random_graph(Random& random, bool exact) {
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

/// The value of any point of any array of a graph, by recursion, without anything that plans or executes.
class PlainEvaluation {
 public:
  explicit PlainEvaluation(const Graph& graph) : graph_(graph) {}

  float value(int array, int x, int y) {
    const int stage = array - static_cast<int>(graph_.inputs.size());
    if (stage < 0) {
      const auto input = static_cast<std::size_t>(array);
      return graph_.inputs[input].bounded(graph_.boundaries[input], {{x, y, 0, 0}});
    }
    const auto [found, is_new] = known_.try_emplace({array, x, y}, 0.0f);
    if (is_new) {
      const float result = compute(graph_.stages[static_cast<std::size_t>(stage)], x, y);
      known_[{array, x, y}] = result;
      return result;
    }
    return found->second;
  }

 private:
  struct Reader {
    PlainEvaluation* evaluation;
    int array;
    float operator()(Coordinate x, Coordinate y) const { return evaluation->value(array, x.value, y.value); }
    float zero() const { return 0; }
  };

  float compute(const GraphStage& stage, Coordinate x, Coordinate y) {
    const Reader first{this, stage.inputs[0]}, second{this, stage.inputs[1]};
    if (stage.reads_two())
      return stage.with_body_of_two([&](const auto& body) { return float(body(first, second, x, y)); });
    return stage.with_body([&](const auto& body) { return float(body(first, x, y)); });
  }

  const Graph& graph_;
  std::map<std::tuple<int, int, int>, float> known_;
};

}  // namespace tessera::test
