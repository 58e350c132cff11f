// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "tessera/pipeline/planner/bands.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/planner/scheduled_pipeline.hpp"

namespace tessera::app {

/// The plans of all ranks of a run. They are made when they are asked for, or were read from a file.
class Plans {
 public:
  /// Prepares plans for a schedule in `bands` bands; 0: in as few as fit into the target's memory. Throws as
  /// make_plan, bands_asked_for and bands_that_fit do. `pipeline` must outlive this object.
  Plans(const Algorithm& pipeline, const Schedule& schedule, const Target& target, int rank_count,
        std::int64_t bands = 0);
  /// Takes the plans from the text of a file. Throws InputError when they are not plans of this pipeline, or
  /// when they are plans of single bands. `pipeline` must outlive this object.
  Plans(const Algorithm& pipeline, std::string_view text);

  int rank_count() const { return rank_count_; }
  /// The bands into which the arrays are cut; a single one if they are not.
  const Banding& bands() const { return bands_; }
  bool has_bands() const { return bands_.count > 1; }
  /// Returns the plan of a rank; for several bands it is that of plan_with_bands, which does not run. Throws
  /// ScheduleError when the plan needs more than the target's memory. Several threads must not call it at
  /// once.
  Plan of(int rank) const;
  /// Returns the plan of a rank for one band, which can be run.
  Plan of(int rank, const Band& band) const;

 private:
  /// A schedule that is complete for a window, and the regions of other ranks that were found on the way.
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
  /// The schedule for the whole image, or that of the middle band of each pass.
  std::vector<std::unique_ptr<Scheduled>> scheduled_;
  std::vector<Plan> saved_;
};

}  // namespace tessera::app
