// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/pipeline/plan/plan.hpp"

namespace tessera {

class Regions;
class ScheduledPipeline;

/// Plans what `rank` of `rank_count` does; no communication. Throws ScheduleError when the schedule does not
/// fit the pipeline, the rank count or the memory, and says what would be legal. Throws InternalError when a
/// stage body reads at an index without bounds.
Plan make_plan(const Algorithm& pipeline, const Schedule& schedule, const Target& target, int rank_count,
               int rank);

/// Plans one rank of a ScheduledPipeline, in which what all ranks have in common is worked out once. Throws
/// as the function above does.
Plan make_plan(const ScheduledPipeline& scheduled, int rank);

/// Plans one of many ranks that are planned one after the other: answers about other ranks are kept in
/// `others`, which must be of the same `scheduled`. Throws as the functions above do.
Plan make_plan(const ScheduledPipeline& scheduled, int rank, Regions& others);

/// The plans of all ranks, in order. Throws as make_plan does.
std::vector<Plan> make_plans(const Algorithm& pipeline, const Schedule& schedule, const Target& target,
                             int rank_count);

}  // namespace tessera
