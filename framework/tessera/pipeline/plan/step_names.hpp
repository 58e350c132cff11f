// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/pipeline/algorithm/algorithm.hpp"
#include "tessera/pipeline/plan/plan_nodes.hpp"

namespace tessera {

/// The kind of a step in one word: "sequence", "repeat", "bands", "items", "allocate", "free", "read",
/// "write", "exchange", "wait", "boundary", "compute", "reduce" or "swap".
std::string step_kind(const PlanNode& node);

/// A short text that names a step, such as "compute bv".
std::string step_label(const Algorithm& pipeline, const PlanNode& node);

/// The names of the arrays of an exchange, separated by commas.
std::string names_of(const Algorithm& pipeline, const plan::Exchange& exchange);

}  // namespace tessera
