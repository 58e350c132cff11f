// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/pipeline/algorithm/algorithm.hpp"
#include "tessera/pipeline/plan/plan.hpp"

namespace tessera {

/// Returns a line for each stage and each of its inputs for which the plan needs at least a hundred times as
/// many points of the input as the stage reads. A plan needs whole boxes, so that an index that grows faster
/// than its coordinate, such as x * x, takes memory for all points between those that are read. The lines
/// name the stage, the input and the index.
std::vector<std::string> scattered_reads(const Algorithm& pipeline, const Plan& plan);

}  // namespace tessera
