// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/pipeline/plan/plan.hpp"

namespace tessera {

/// Returns every assignment of buffers to the arrays of an exchange that occurs in any turn of any loop, and
/// in any run. There are several because loops swap arrays, so that the exchange finds them in other buffers.
/// Each entry has the number of the buffer in which each array of the exchange is computed. The order of the
/// entries is the same on all ranks. `exchange` must be an Exchange node of `plan`.
std::vector<std::vector<int>> arrangements(const Plan& plan, const PlanNode& exchange);

}  // namespace tessera
