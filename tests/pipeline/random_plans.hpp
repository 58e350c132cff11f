// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "pipeline/random_graph.hpp"

namespace tessera::test {

/// The plans of all ranks.
std::vector<Plan> make_plans(const Pipeline& pipeline, const Schedule& schedule, const Target& target,
                             int rank_count);

/// Of a graph, by a random schedule on some ranks.
std::vector<Plan> random_plans(Random& random, const Graph& graph, int most_ranks);

/// The outputs of a graph, computed by these plans.
std::vector<WholeArray<float>> rehearse(const Graph& graph, const std::vector<Plan>& plans);

}  // namespace tessera::test
