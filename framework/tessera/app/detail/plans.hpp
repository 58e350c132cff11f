// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "tessera/pipeline/planner/bands.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/planner/scheduled_pipeline.hpp"

namespace tessera::app {

/// The plans of all ranks of a run: made when asked for, or read from a file.
class Plans {
 public:
  /// By a schedule, in so many bands; 0: in as many as the target's memory needs. Throws as make_plan.
  /// `pipeline` must outlive this.
  Plans(const Algorithm& pipeline, const Schedule& schedule, const Target& target, int rank_count,
        std::int64_t bands = 0);
  /// Those of a file's text. Throws InputError when they are none of this pipeline.
  Plans(const Algorithm& pipeline, std::string_view text);

  int rank_count() const { return rank_count_; }
  const Banding& bands() const { return bands_; }
  bool has_bands() const { return bands_.count > 1; }
  /// Of several bands, what plan_with_bands shows of them. Throws ScheduleError when it needs more than the
  /// target's memory. Not to be called by several threads at once.
  Plan of(int rank) const;
  /// Of one band, to run.
  Plan of(int rank, const Band& band) const;

 private:
  /// A schedule settled for a window, and what was found out for one rank about others.
  struct Scheduled {
    Scheduled(const Algorithm& pipeline, const Schedule& schedule, const Target& target, int rank_count,
              Window window)
        : settled(pipeline, schedule, target, rank_count, std::move(window)), others(settled) {}
    Plan of(int rank) { return make_plan(settled, rank, others); }
    ScheduledPipeline settled;
    Regions others;
  };

  void check_memory(const Plan& plan) const;

  const Algorithm& pipeline_;
  Schedule schedule_;
  Target target_;
  int rank_count_ = 0;
  Banding bands_;
  std::int64_t memory_bytes_ = 0;
  /// For the whole image, or by pass for the band in the middle.
  std::vector<std::unique_ptr<Scheduled>> scheduled_;
  std::vector<Plan> saved_;
};

}  // namespace tessera::app
