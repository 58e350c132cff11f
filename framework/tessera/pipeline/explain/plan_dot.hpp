// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/pipeline/explain/explain.hpp"

namespace tessera {

/// Returns the pipeline as a directed graph for Graphviz. The graph has a node for each array, coloured by
/// the placement. The placements are the same on all ranks, and are taken from `any_plan`, the plan of any
/// rank. An edge leads from each array to each stage that reads it. The label of the edge is the number of
/// bytes of the array that all ranks together exchange, taken from `totals`; an edge has no label if nothing
/// is exchanged. A dashed edge leads from an array to the array that takes over its values in a loop. Stages
/// that are computed together in tiles are drawn in one frame. The text ends with a line feed.
std::string to_dot(const Algorithm& pipeline, const Plan& any_plan, const PlanTotals& totals);

}  // namespace tessera
