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

/// A pipeline with a schedule that is complete for a number of ranks: placements, distributions and tiles of
/// all arrays. It is the same on all ranks, so that each rank can work out from it what every other one does.
class ScheduledPipeline {
 public:
  /// Completes `schedule` for the part of the pipeline that the window wants. `pipeline` must outlive this
  /// object. Throws as make_plan does, but for memory.
  ScheduledPipeline(const Algorithm& pipeline, const Schedule& schedule, const Target& target, int rank_count,
                    Window window = {});

  /// The pipeline.
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
  /// The properties of the array of this id.
  const ScheduledArray& operator[](int id) const { return arrays_[static_cast<std::size_t>(id)]; }
  /// The number of arrays, which is that of the pipeline.
  int size() const { return static_cast<int>(arrays_.size()); }
  /// The arrays that change places with each other in loops.
  const SwapGroups& swap_groups() const { return swap_groups_; }
  /// The sum of the numbers of inputs of all stages.
  int total_inputs() const { return total_inputs_; }
  /// The number of different grids that the arrays have.
  int grid_count() const { return grid_count_; }

  /// Whether ranks other than a point's owner may read the array, so that it takes part in exchanges: an
  /// input or a distributed stage, with consumers, on several ranks or with a periodic side.
  bool is_exchanged(int id) const;

 private:
  void check_names(const Schedule& schedule) const;
  /// Returns the stage whose blocks the array `id` takes over: the stage with the last member of its group of
  /// swaps, or the array's own stage if it has no group. Throws ScheduleError when the schedule gives the
  /// array other blocks than that stage.
  int source_of_blocks(int id, const Schedule& schedule) const;
  void check_grid_of_group(int id, const Schedule& schedule) const;
  /// Returns the dimensions along which the stage, or an array that changes places with one of its outputs,
  /// is computed in whole lines.
  std::array<bool, max_dimensions> dimensions_with_lines(int id) const;
  void settle_distribution(int id, const Schedule& schedule, GridChoices& grids, const ArrayDomain& points);
  /// Numbers the different grids of all arrays.
  void number_grids();
  void settle_tile(int id, const Schedule& schedule);
  /// Returns the target for which grids are chosen. It has one footprint for all arrays, so that equal arrays
  /// get equal grids.
  GridTarget grid_target(const Schedule& schedule, const std::vector<ArrayDomain>& domains) const;
  /// Returns the grid of a stage to which the schedule gives none. A stage that is not distributed takes the
  /// grid of its first consumer.
  GridRequest common_grid(int id, const Schedule& schedule) const;
  /// Devices: gives stages with the placement `tile` that no group can compute the placement `rank`.
  void settle_groups();
  bool fits_group(int root, int group) const;
  /// Decides which arrays have separate buffers. All ranks must have the same ones, so it looks at some ranks
  /// and decides for all.
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
