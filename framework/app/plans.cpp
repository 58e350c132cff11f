// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/plans.hpp"

#include "tessera/pipeline/plan_json.hpp"

namespace tessera::app {

Plans::Plans(const Pipeline& pipeline, const Schedule& schedule, const Target& target, int rank_count)
    : scheduled_(std::make_unique<ScheduledPipeline>(pipeline, schedule, target, rank_count)),
      others_(std::make_unique<Regions>(*scheduled_)),
      rank_count_(rank_count) {}

Plans::Plans(const Pipeline& pipeline, std::string_view text)
    : saved_(plans_from_json(pipeline, text)), rank_count_(static_cast<int>(saved_.size())) {}

Plan Plans::of(int rank) const {
  return scheduled_ ? make_plan(*scheduled_, rank, *others_) : saved_[static_cast<std::size_t>(rank)];
}

}  // namespace tessera::app
