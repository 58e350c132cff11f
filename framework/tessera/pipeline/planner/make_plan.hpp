// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/pipeline/plan/plan.hpp"

namespace tessera {

class Regions;
class ScheduledPipeline;

/// Plans what `rank` of `rank_count` does. Throws ScheduleError when the schedule does not fit the pipeline,
/// the rank count or the memory, saying what would be legal, and InternalError when a stage body reads
/// without bounds.
Plan make_plan(const Algorithm& pipeline, const Schedule& schedule, const Target& target, int rank_count,
               int rank);

/// The same for one rank of many: what all ranks have in common is worked out once.
Plan make_plan(const ScheduledPipeline& scheduled, int rank);

/// The same for one after the other of many ranks: what is found out about other ranks is kept in `others`,
/// which is of the same `scheduled`.
Plan make_plan(const ScheduledPipeline& scheduled, int rank, Regions& others);

/// The plans of all ranks, in order. Throws as make_plan.
std::vector<Plan> make_plans(const Algorithm& pipeline, const Schedule& schedule, const Target& target,
                             int rank_count);

}  // namespace tessera
