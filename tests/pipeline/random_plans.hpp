// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "pipeline/random_graph.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"

namespace tessera::test {

/// The plans of all ranks for a graph, by a random schedule on 1 to `most_ranks` ranks.
std::vector<Plan> random_plans(Random& random, const Graph& graph, int most_ranks);

/// The outputs of a graph, computed by these plans.
std::vector<WholeArray<float>> rehearse(const Graph& graph, const std::vector<Plan>& plans);

}  // namespace tessera::test
