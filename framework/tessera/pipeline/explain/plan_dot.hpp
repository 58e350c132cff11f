// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/pipeline/explain/explain.hpp"

namespace tessera {

/// The pipeline as a directed graph for Graphviz: a node per input and stage, coloured by where it is
/// computed; edges say what the ranks exchange in all of the array that they stand for; stages computed in
/// one step stand in a frame. Ends with a line feed.
std::string to_dot(const Algorithm& pipeline, const Plan& any_plan, const PlanTotals& totals);

}  // namespace tessera
