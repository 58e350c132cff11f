// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/domain/grid_choices.hpp"
#include "tessera/pipeline/plan/plan.hpp"
#include "tessera/pipeline/plan/window.hpp"
#include "tessera/pipeline/planner/array_domains.hpp"
#include "tessera/pipeline/planner/regions.hpp"
#include "tessera/pipeline/planner/scheduled_array.hpp"
#include "tessera/pipeline/planner/swap_groups.hpp"

namespace tessera {

/// A pipeline with its schedule, settled for a number of ranks: what all ranks have in common, and what each
/// rank can work out about every other one. The pipeline must outlive it.
class ScheduledPipeline {
 public:
  /// Throws as make_plan. Only what the window wants is scheduled.
  ScheduledPipeline(const Algorithm& pipeline, const Schedule& schedule, const Target& target, int rank_count,
                    Window window = {});

  const Algorithm& pipeline() const { return *pipeline_; }
  /// The resources of each rank.
  const Target& target() const { return target_; }
  /// Whether computation and exchange overlap.
  Overlap overlap() const { return overlap_; }
  /// The number of ranks.
  int rank_count() const { return rank_count_; }
  /// The part of each array that is planned for.
  const Window& window() const { return window_; }
  /// The points that the window wants of an output, or that contribute to a global reduction.
  Box wanted(int id) const { return window_.wanted(*pipeline_, id); }
  const ScheduledArray& operator[](int id) const { return arrays_[static_cast<std::size_t>(id)]; }
  int size() const { return static_cast<int>(arrays_.size()); }
  /// The arrays that change places with each other in loops.
  const SwapGroups& swap_groups() const { return swap_groups_; }
  /// The inputs of all stages, each counted.
  int total_inputs() const { return total_inputs_; }
  /// The number of different grids that the arrays have.
  int grid_count() const { return grid_count_; }

  /// The array is read by other ranks than its owner: an input, or a distributed stage with consumers.
  bool is_exchanged(int id) const;

 private:
  void check_names(const Schedule& schedule) const;
  /// The stage that a member of a group of swaps has its blocks from: the one with the last member. Of a
  /// stage without a group, and of that one, it is the stage itself. Throws ScheduleError when the schedule
  /// gives it other blocks.
  int source_of_blocks(int id, const Schedule& schedule) const;
  void check_grid_of_group(int id, const Schedule& schedule) const;
  /// The dimensions in which the stage, or an array that changes places with its outputs, is computed in
  /// whole lines.
  std::array<bool, max_dimensions> dimensions_with_lines(int id) const;
  void settle_distribution(int id, const Schedule& schedule, GridChoices& grids, const ArrayDomain& points);
  /// Numbers the different grids.
  void number_grids();
  void settle_tile(int id, const Schedule& schedule);
  /// What grids are chosen for: one footprint for all arrays, so that equal arrays get equal grids.
  GridTarget grid_target(const Schedule& schedule, const std::vector<ArrayDomain>& domains) const;
  /// The grid of a stage that the schedule gives none. A stage that is not distributed has none to choose:
  /// the share that each rank stands for follows the first consumer.
  GridRequest common_grid(int id, const Schedule& schedule) const;
  /// Devices: stages in tiles that no group can compute become `rank`.
  void settle_groups();
  bool fits_group(int root, int group) const;
  /// Decides by some ranks for all, as all ranks must have the same buffers.
  void settle_storage();

  const Algorithm* pipeline_;
  Target target_;
  Window window_;
  Overlap overlap_;
  int rank_count_;
  int total_inputs_ = 0;
  int grid_count_ = 0;
  std::vector<ScheduledArray> arrays_;
  SwapGroups swap_groups_;
};

}  // namespace tessera
