// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/domain/json.hpp"
#include "tessera/pipeline/algorithm/algorithm.hpp"

namespace tessera::detail {

/// What a plan says of a stage or input of its pipeline: two that differ in it cannot have one plan.
Json stage_json(const Algorithm& pipeline, int id);

/// The same of its loops.
Json loops_json(const Algorithm& pipeline);

}  // namespace tessera::detail
