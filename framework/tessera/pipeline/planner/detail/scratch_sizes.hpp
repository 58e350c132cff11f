// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/pipeline/plan/plan_nodes.hpp"
#include "tessera/pipeline/planner/scheduled_pipeline.hpp"

namespace tessera {

/// Returns the number of rows for which member `m` of a compute node should have memory, if the member is
/// computed in a window; otherwise 0. `m` must not be the last member, and the boxes of the step must be
/// known. With this number of rows, the rows that are kept are seldom moved.
std::int64_t rows_of_window(const plan::Compute& step, std::size_t m);

/// Returns the bytes that an array needs in scratch memory, whichever inner tile is computed. The boxes of
/// the step and the rows of `place` must be known.
std::int64_t scratch_bytes(const ScheduledPipeline& scheduled, const plan::Compute& step,
                           const plan::Scratch& place);

}  // namespace tessera
