// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/pipeline/plan/plan.hpp"

namespace tessera {

/// Loops swap arrays, so an exchange does not find them in the same buffers whenever it runs. Returns every
/// assignment of its arrays to buffers that occurs, in all turns of all loops, run after run: an entry has
/// one buffer per array of the exchange, in which the array is computed. The order is the same on all ranks.
/// `exchange` must be an Exchange node of `plan`.
std::vector<std::vector<int>> arrangements(const Plan& plan, const PlanNode& exchange);

}  // namespace tessera
