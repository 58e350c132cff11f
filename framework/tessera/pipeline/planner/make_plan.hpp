// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/pipeline/plan/plan.hpp"

namespace tessera {

class Regions;
class ScheduledPipeline;

/// Returns the plan of `rank` in a run of `rank_count` ranks. This function does not communicate. Throws
/// ScheduleError if the schedule does not fit the pipeline, the number of ranks or the memory; the message
/// says what would be legal. Throws InternalError if inference finds no bounds for an index at which the body
/// of a stage reads an input.
Plan make_plan(const Algorithm& pipeline, const Schedule& schedule, const Target& target, int rank_count,
               int rank);

/// Returns the plan of `rank`. `scheduled` holds what the plans of all ranks have in common. Throws the same
/// exceptions as the overload of make_plan that takes a schedule.
Plan make_plan(const ScheduledPipeline& scheduled, int rank);

/// Returns the plan of `rank`, for callers that plan many ranks one after the other. The function keeps the
/// regions of other ranks in `others`, so that later calls with the same object need not compute them again.
/// `others` must have been made from `scheduled`. Throws the same exceptions as the overload of make_plan
/// that takes a schedule.
Plan make_plan(const ScheduledPipeline& scheduled, int rank, Regions& others);

/// Returns the plans of all ranks, ordered by rank. Throws the same exceptions as make_plan.
std::vector<Plan> make_plans(const Algorithm& pipeline, const Schedule& schedule, const Target& target,
                             int rank_count);

}  // namespace tessera
