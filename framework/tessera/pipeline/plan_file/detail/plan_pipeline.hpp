// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/domain/json.hpp"
#include "tessera/pipeline/algorithm/algorithm.hpp"

namespace tessera::detail {

/// Returns the description of a stage or input of a pipeline that stands in its plans. Pipelines whose
/// descriptions differ cannot run the same plan.
Json stage_json(const Algorithm& pipeline, int id);

/// Returns the description of the loops of a pipeline that stands in its plans.
Json loops_json(const Algorithm& pipeline);

}  // namespace tessera::detail
