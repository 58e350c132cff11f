// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/pipeline/planner/scheduled_pipeline.hpp"

namespace tessera {

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
