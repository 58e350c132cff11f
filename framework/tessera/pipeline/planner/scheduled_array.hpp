// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/domain/block_distribution.hpp"
#include "tessera/pipeline/algorithm/algorithm.hpp"
#include "tessera/pipeline/plan/plan_nodes.hpp"

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

/// The groups of arrays whose buffers loops swap with each other (see plan::Swap). All arrays of a group have
/// the same blocks, and their buffers have the same shape.
class SwapGroups {
 public:
  /// Finds the groups of arrays in `pipeline`. If a loop feeds one array to another (see
  /// LoopDeclaration::Feed), both arrays are in the same group.
  explicit SwapGroups(const Algorithm& pipeline);

  /// Returns the ids of all arrays in the group of `array`, including `array` itself, in ascending order. The
  /// list is empty if no loop feeds `array` to another array or another array to `array`.
  const std::vector<ArrayId>& of(ArrayId array) const { return groups_[group_of_[array]]; }
  /// All groups. The first group is always empty, and other groups may be empty, too.
  const std::vector<std::vector<ArrayId>>& all() const { return groups_; }

 private:
  void join(ArrayId from, ArrayId to);

  /// For each array, the index of its group in `groups_`; 0 if the array is in no group.
  IdVector<ArrayId, std::size_t> group_of_;
  std::vector<std::vector<ArrayId>> groups_ = {{}};
};

}  // namespace tessera
