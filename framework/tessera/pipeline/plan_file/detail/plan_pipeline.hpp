// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/domain/json.hpp"
#include "tessera/pipeline/algorithm/algorithm.hpp"

namespace tessera::detail {

/// Returns the description of a stage or input that is stored in plan files. If the descriptions of two
/// pipelines differ, the pipelines cannot run the same plan.
Json stage_json(const Algorithm& pipeline, int id);

/// Returns the description of the loops of a pipeline that is stored in plan files.
Json loops_json(const Algorithm& pipeline);

}  // namespace tessera::detail
