// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/pipeline/plan/plan.hpp"

namespace tessera {

class Regions;
class ScheduledPipeline;

/// Returns the plan of `rank` in a run of `rank_count` ranks. It does not communicate. Throws ScheduleError
/// when the schedule does not fit the pipeline, the rank count or the memory; the message says what would be
/// legal. Throws InternalError when a stage body reads at an index without bounds.
Plan make_plan(const Algorithm& pipeline, const Schedule& schedule, const Target& target, int rank_count,
               int rank);

/// Returns the plan of one rank of a ScheduledPipeline, which holds what the plans of all ranks have in
/// common. Throws as make_plan with a schedule does.
Plan make_plan(const ScheduledPipeline& scheduled, int rank);

/// Returns the plan of one of many ranks that are planned one after the other. The regions of other ranks are
/// kept in `others`, which must have been made from the same `scheduled`, so that later calls find them.
/// Throws as make_plan with a schedule does.
Plan make_plan(const ScheduledPipeline& scheduled, int rank, Regions& others);

/// Returns the plans of all ranks, in order. Throws as make_plan does.
std::vector<Plan> make_plans(const Algorithm& pipeline, const Schedule& schedule, const Target& target,
                             int rank_count);

}  // namespace tessera
