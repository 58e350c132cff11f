// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/pipeline/plan/plan.hpp"

namespace tessera {

/// Returns a plan as JSON text, which ends with a line feed. The text contains the whole plan and a
/// description of its pipeline. The plan has the numbers of arrays, and the description their names.
std::string to_json(const Algorithm& pipeline, const Plan& plan);

/// Returns the plans of all ranks, ordered by rank, as one JSON text, which ends with a line feed.
std::string to_json(const Algorithm& pipeline, const std::vector<Plan>& plans);

}  // namespace tessera
