// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/pipeline/plan/plan.hpp"

namespace tessera {

/// Returns all ways in which the arrays of an exchange may lie in buffers when the exchange is executed.
/// There may be several ways, because loops swap the buffers of arrays. The result holds for all turns of all
/// loops. It also holds for repeated runs of the plan, where each run begins with the buffers as the previous
/// run has left them. An entry of the result has, for each array of the exchange, the number of the buffer in
/// which the array is computed. The order of the entries is the same on all ranks. `exchange` must be an
/// Exchange node of `plan`.
std::vector<std::vector<int>> arrangements(const Plan& plan, const PlanNode& exchange);

}  // namespace tessera
