// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/pipeline/algorithm/algorithm.hpp"
#include "tessera/pipeline/plan/plan_nodes.hpp"
#include "tessera/pipeline/plan/window.hpp"
#include "tessera/pipeline/planner/scheduled_pipeline.hpp"

namespace tessera {

/// Whether the stage or input whose first array is `id` can be computed in the tiles of its consumers.
bool may_be_in_tiles(const Algorithm& pipeline, ArrayId id);

/// Returns the placement of the stage or input whose first array is `id`. It is `distributed`, or
/// `replicated` for a value, if the schedule asks for an automatic placement. Throws ScheduleError if the
/// schedule asks for a placement that the stage or input cannot have.
Placement settled_placement(const Algorithm& pipeline, const Schedule& schedule, ArrayId id);

/// Throws ScheduleError if a stage with the placement `outer_tile` reads a stage that is computed in inner
/// tiles, and therefore later. All placements must be settled.
void check_outer_tiles(const ScheduledPipeline& scheduled);

/// Finds the global reductions that take in the points of a stage tile by tile, while the stage is computed,
/// and enters these reductions in `scheduled`. The placements and distributions must be settled. This
/// function is used for hosts only.
void settle_contributions(ScheduledPipeline& scheduled, const Schedule& schedule);

/// Whether the schedule leaves the placement of some stage to the planner.
bool has_automatic_placements(const Schedule& schedule);

/// Returns `schedule` with a chosen placement for every stage that has the placement `automatic`. The other
/// arguments are those of ScheduledPipeline. All ranks must choose the same, so that the choice does not
/// depend on what may differ between ranks, such as the number of threads and the size of the cache.
///
/// On hosts, a stage is computed in tiles if this is estimated to take less time than to store it and to read
/// it again. The estimate counts the bytes that bodies read and write, and how often each point is computed.
/// A byte of an array in memory counts as much as several bytes of scratch. Stages are looked at from the
/// last to the first, as in the grouping of R. T. Mullapudi et al., "Automatically Scheduling Halide Image
/// Processing Pipelines", SIGGRAPH 2016, but only a stage and the tiles that read it are compared at a time.
/// Then windows are chosen where the points that they save count more than the calls for lower inner tiles.
///
/// On devices, the stages of a fusable group are computed in tiles, and all others are distributed.
Schedule with_chosen_placements(const Algorithm& pipeline, Schedule schedule, const Target& target,
                                int rank_count, const Window& window);

}  // namespace tessera
