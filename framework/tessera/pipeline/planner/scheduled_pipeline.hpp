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
  /// The number of dimensions of the array. For a global reduction, it is the number of dimensions of the
  /// input of the reduction.
  int dimensions = 0;
  /// The distribution of the points of the array over the ranks that own them. For a global reduction, it
  /// tells which rank contributes which points of the input.
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
  /// The sum of the numbers of inputs of all arrays with smaller ids. In a list that has an entry for each
  /// input of each array, ordered by the id of the array, this is the position of the first input of this
  /// array.
  int first_need = 0;
  /// Devices: the number of the fusable group that computes this stage together with the stages in its tiles;
  /// -1 if no group does.
  int group = -1;
  /// Hosts: the global reductions to which this stage contributes its points tile by tile, while a tile is in
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
  /// Hosts: whether the array is read only by global reductions to which its stage contributes tile by tile.
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
  const Algorithm& pipeline() const { return *pipeline_; }
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
  Box wanted(ArrayId id) const { return window_.wanted(*pipeline_, id); }
  /// The properties of the array with this id.
  const ScheduledArray& operator[](ArrayId id) const { return arrays_[id]; }
  /// The number of arrays of the pipeline.
  int size() const { return arrays_.size(); }
  /// The ids of all arrays of the pipeline.
  IdRange<ArrayId> ids() const { return arrays_.ids(); }
  /// The groups of arrays that change places with each other in loops.
  const SwapGroups& swap_groups() const { return swap_groups_; }
  /// The sum of the numbers of inputs of all stages.
  int total_inputs() const { return total_inputs_; }
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
  void check_names(const Schedule& schedule) const;
  /// Returns the stage or input whose blocks the stage or input `id` takes over. If an output of `id` belongs
  /// to a swap group (see SwapGroups), this is the stage or input of the last member of the group; otherwise
  /// it is `id` itself. Throws ScheduleError if `id` takes over blocks although the schedule gives it a grid,
  /// or if its outputs belong to swap groups with different grids.
  ArrayId source_of_blocks(ArrayId id, const Schedule& schedule) const;
  void check_grid_of_group(ArrayId id, const Schedule& schedule) const;
  /// Returns, for each dimension, whether the points of a stage along this dimension are computed together
  /// (see ArrayDeclaration::whole). If outputs of the stage change places with other arrays in loops, the
  /// points of these arrays count, too.
  std::array<bool, max_dimensions> dimensions_with_lines(ArrayId id) const;
  void settle_distribution(ArrayId id, const Schedule& schedule, GridChoices& grids,
                           const ArrayDomain& points);
  /// Gives a number to each of the different processor grids of all arrays.
  void number_grids();
  void settle_tile(ArrayId id, const Schedule& schedule);
  /// Returns the target for which the `auto` entries of processor grids are chosen. The target has one
  /// footprint for all arrays, so that arrays with equal boxes get equal grids.
  GridTarget grid_target(const Schedule& schedule, const IdVector<ArrayId, ArrayDomain>& domains) const;
  /// Returns the request for the processor grid of an array to which the schedule gives no grid of its own. A
  /// stage that is not distributed gets the grid of its first consumer.
  GridRequest common_grid(ArrayId id, const Schedule& schedule) const;
  /// Devices: decides for each stage which fusable group computes it together with the stages in its tiles. A
  /// stage with the placement `tile` that no group can compute gets the placement `rank`.
  void settle_groups();
  bool fits_group(ArrayId root, int group) const;
  /// Decides which arrays have separate buffers (see ScheduledArray::has_separate_buffers). The decision must
  /// be the same on all ranks. Therefore every rank derives it from the boxes of the same few ranks.
  void settle_storage();

  const Algorithm* pipeline_;
  Target target_;
  Window window_;
  Overlap overlap_;
  int rank_count_;
  int total_inputs_ = 0;
  int grid_count_ = 0;
  IdVector<ArrayId, ScheduledArray> arrays_;
  SwapGroups swap_groups_;
};

}  // namespace tessera
