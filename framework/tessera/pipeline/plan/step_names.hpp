// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/pipeline/algorithm/algorithm.hpp"
#include "tessera/pipeline/plan/plan_nodes.hpp"

namespace tessera {

/// Returns the word for the kind of a node: "sequence", "repeat", "bands", "items", "allocate", "free",
/// "read", "write", "exchange", "wait", "boundary", "compute", "reduce" or "swap".
std::string step_kind(const PlanNode& node);

/// Returns a short text that describes a node, such as "compute bv".
std::string step_label(const Algorithm& pipeline, const PlanNode& node);

/// Returns the names of the arrays of an exchange, separated by commas.
std::string names_of(const Algorithm& pipeline, const plan::Exchange& exchange);

}  // namespace tessera
