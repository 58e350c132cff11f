// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/plans.hpp"

#include <fmt/format.h>

#include "tessera/domain/human_bytes.hpp"
#include "tessera/pipeline/explain/explain.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"

namespace tessera::app {

Plans::Plans(const Algorithm& pipeline, const Schedule& schedule, const Target& target, int rank_count,
             std::int64_t bands, const std::vector<ChunkRows>& chunks)
    : pipeline_(pipeline), schedule_(schedule), target_(target), rank_count_(rank_count) {
  bands_ = bands > 0 ? bands_asked_for(pipeline, bands)
                     : bands_that_fit(pipeline, schedule, target, rank_count, chunks);
  for (const ChunkRows& chunk : chunks)
    if (!cut_chunks_ && has_bands() && bands == 0 && pipeline[chunk.array].is_output &&
        bands_.unit % chunk.rows != 0)
      cut_chunks_ = chunk;
  // If there are several bands, make_plan gets no memory limit. If `bands` is given, check_memory checks the
  // memory instead. Otherwise bands_that_fit has chosen the bands by the memory that they need.
  if (has_bands() && bands > 0) memory_bytes_ = target_.memory_bytes;
  if (has_bands()) target_.memory_bytes = 0;
  const int passes = has_bands() ? passes_of(pipeline) : 1;
  for (int pass = 0; pass < passes; ++pass)
    scheduled_.push_back(std::make_unique<Scheduled>(
        pipeline_, schedule_, target_, rank_count_,
        has_bands() ? Window(pipeline, bands_.band(shown_band(pipeline, bands_), pass)) : Window()));
}

Plan Plans::of(int rank) const {
  if (!has_bands()) return scheduled_.front()->of(rank);
  Plan plan = plan_with_bands(pipeline_, bands_, [&](const Band& band) {
    return scheduled_[static_cast<std::size_t>(band.pass)]->of(rank);
  });
  check_memory(plan);
  return plan;
}

Plan Plans::of(int rank, const Band& band) const {
  return make_plan(ScheduledPipeline(pipeline_, schedule_, target_, rank_count_, Window(pipeline_, band)),
                   rank);
}

void Plans::check_memory(const Plan& plan) const {
  const std::int64_t bytes = peak_bytes_with_next_band(plan);
  if (memory_bytes_ > 0 && bytes > memory_bytes_)
    throw ScheduleError("memory", fmt::format("rank {} of {} needs {} in {} bands, but may use {}: use more "
                                              "bands or ranks",
                                              plan.rank, plan.rank_count, human_bytes(bytes), bands_.count,
                                              human_bytes(memory_bytes_)));
}

}  // namespace tessera::app
