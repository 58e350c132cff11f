// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/plain_evaluation.hpp"

#include "pipeline/random_bodies.hpp"

namespace tessera::test {
namespace {

struct Reader {
  PlainEvaluation* evaluation;
  int array;
  float operator()(Coordinate x, Coordinate y) const { return evaluation->value(array, x.value, y.value); }
  float zero() const { return 0; }
};

}  // namespace

float PlainEvaluation::value(int array, int x, int y) {
  const int stage = array - static_cast<int>(graph_.inputs.size());
  if (stage < 0) {
    const auto input = static_cast<std::size_t>(array);
    return graph_.inputs[input].bounded(graph_.boundaries[input], {{x, y, 0, 0}});
  }
  const auto [found, is_new] = known_.try_emplace({array, x, y}, 0.0f);
  if (!is_new) return found->second;
  const float result = compute(graph_.stages[static_cast<std::size_t>(stage)], x, y);
  known_[{array, x, y}] = result;
  return result;
}

float PlainEvaluation::compute(const GraphStage& stage, int x, int y) {
  const Coordinate column(x), row(y);
  const Reader first{this, stage.inputs[0]}, second{this, stage.inputs[1]};
  if (stage.reads_two())
    return with_body_of_two(stage, [&](const auto& body) { return float(body(first, second, column, row)); });
  return with_body(stage, [&](const auto& body) { return float(body(first, column, row)); });
}

}  // namespace tessera::test
