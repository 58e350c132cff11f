// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <tuple>

#include "pipeline/random_graph.hpp"

namespace tessera::test {

/// The value of any point of any array of a graph, by recursion, without anything that plans or executes.
class PlainEvaluation {
 public:
  explicit PlainEvaluation(const Graph& graph) : graph_(graph) {}

  float value(int array, int x, int y);

 private:
  float compute(const GraphStage& stage, int x, int y);

  const Graph& graph_;
  std::map<std::tuple<int, int, int>, float> known_;
};

}  // namespace tessera::test
