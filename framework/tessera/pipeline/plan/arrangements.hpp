// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/pipeline/plan/plan.hpp"

namespace tessera {

/// In which buffers the arrays of an exchange are computed whenever it runs: in all turns of all loops, run
/// after run. An entry per arrangement, each with a buffer per array of the exchange; the same order on all
/// ranks.
std::vector<std::vector<int>> arrangements(const Plan& plan, const PlanNode& exchange);

}  // namespace tessera
