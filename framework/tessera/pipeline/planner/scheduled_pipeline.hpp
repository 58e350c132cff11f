// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/domain/block_distribution.hpp"
#include "tessera/domain/processor_grid.hpp"
#include "tessera/pipeline/plan/plan.hpp"
#include "tessera/pipeline/plan/window.hpp"
#include "tessera/pipeline/planner/array_domains.hpp"

namespace tessera {

/// The properties of one array that follow from the schedule. They are the same on all ranks. Arrays are
/// named by their ids, and stages by the ids of their first outputs.
struct ScheduledArray {
  /// The placement of the stage that computes the array.
  Placement placement = Placement::distributed;
  /// The distribution of the points of the array over the ranks that own them. For a global reduction, it
  /// says which rank contributes which points of the input.
  BlockDistribution distribution;
  /// The number of the processor grid of the array. Arrays with equal grids have the same number.
  int grid = 0;
  /// The number of points of a tile along each dimension, x first, as the schedule gives them. There may be
  /// fewer entries than dimensions (see TileSize).
  TileSize tile;
  /// The number of points of an inner tile along each dimension, x first, as the schedule gives them (see
  /// StageSchedule::inner).
  TileSize inner;
  /// The stages that read the array.
  std::vector<ArrayId> consumers;
  /// Devices: the number of the fusable group that computes this stage together with the stages in its tiles;
  /// -1 if no group does.
  int group = -1;
  /// Hosts: the global reductions that this stage contributes its points to, tile by tile, while a tile is in
  /// cache. Only the first output of a stage has entries.
  std::vector<ArrayId> contributes = {};
  /// Hosts: for a global reduction, the stage that contributes to the reduction tile by tile; no_array if
  /// none does.
  ArrayId contributed_by = no_array;
  /// Hosts: the stage in whose tiles this stage computes the points that it contributes to global reductions.
  /// This is the stage itself, unless it is computed in the tiles of another stage. It is no_array if the
  /// stage contributes to no reduction tile by tile.
  ArrayId contributes_in = no_array;
  /// Hosts: further stages that are computed in the tiles of this stage, because their inputs are computed
  /// there. Only global reductions read these further stages.
  std::vector<ArrayId> computed_in_its_tiles = {};
  /// Hosts: whether the array is read only by global reductions that its stage contributes to tile by tile.
  /// Its points are then kept only while a tile is computed.
  bool is_only_reduced = false;
  /// Whether the array is computed into one buffer and read from another one, because a single buffer for
  /// both purposes would be larger. This happens if a stage and its consumers are distributed along different
  /// dimensions.
  bool has_separate_buffers = false;
};

/// A pipeline with a schedule that is complete for a number of ranks: it has the placements, the
/// distributions and the tiles of all arrays. A ScheduledPipeline is the same on all ranks, so that each rank
/// can find out from it what every other rank does.
class ScheduledPipeline {
 public:
  /// Completes `schedule` for the part of the pipeline that `window` describes. `pipeline` must outlive this
  /// object. Throws the same exceptions as make_plan, except those about memory, which is not checked here.
  ScheduledPipeline(const Algorithm& pipeline, const Schedule& schedule, const Target& target, int rank_count,
                    Window window = {});

  /// The pipeline.
  const Algorithm& pipeline() const { return pipeline_; }
  /// The resources that each rank may use.
  const Target& target() const { return target_; }
  /// Whether ranks compute points while an exchange is under way (see Overlap).
  Overlap overlap() const { return overlap_; }
  /// The number of ranks.
  int rank_count() const { return rank_count_; }
  /// The greatest number of ranks in the grid of any array. Ranks from this number on own nothing.
  int busy_rank_count() const;
  /// The part of the results of the pipeline that the plans of all ranks compute.
  const Window& window() const { return window_; }
  /// Returns the points of an output that the plans of all ranks together compute, or the points that
  /// contribute to a global reduction (see Window::wanted).
  Box wanted(ArrayId id) const { return window_.wanted(pipeline_, id); }
  /// The properties of the array with this id.
  const ScheduledArray& operator[](ArrayId id) const { return arrays_[id]; }
  /// The properties of the array with this id. Only the planner changes them, to complete a schedule.
  ScheduledArray& operator[](ArrayId id) { return arrays_[id]; }
  /// The number of arrays of the pipeline.
  int size() const { return arrays_.size(); }
  /// The ids of all arrays of the pipeline.
  IdRange<ArrayId> ids() const { return arrays_.ids(); }
  /// The groups of arrays that change places with each other in loops.
  const SwapGroups& swap_groups() const { return swap_groups_; }
  /// The number of different processor grids among all arrays.
  int grid_count() const { return grid_count_; }

  /// Whether the array takes part in exchanges, because a rank may read points of the array that another rank
  /// owns, or points beyond a periodic side. This holds for inputs and distributed stages that have
  /// consumers, if there are several ranks or the array has a periodic side. It does not hold for arrays that
  /// every rank has as a whole, or whose points are not kept (see ScheduledArray::is_only_reduced).
  bool is_exchanged(ArrayId id) const;

 private:
  /// Settles all arrays. The placements of `schedule` are chosen.
  void settle(const Schedule& schedule);

  const Algorithm& pipeline_;
  Target target_;
  Window window_;
  Overlap overlap_;
  int rank_count_;
  int grid_count_ = 0;
  IdVector<ArrayId, ScheduledArray> arrays_;
  SwapGroups swap_groups_;
};

}  // namespace tessera
