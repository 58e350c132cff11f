// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/pipeline/explain/explain.hpp"

namespace tessera {

/// Returns the pipeline as a directed graph for Graphviz. It has a node for each input and stage, coloured by
/// its placement in `any_plan`; each edge says what all ranks together exchange of its array, as `totals` has
/// it; stages that are computed in one step stand in a frame. The text ends with a line feed.
std::string to_dot(const Algorithm& pipeline, const Plan& any_plan, const PlanTotals& totals);

}  // namespace tessera
