// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/domain/block_distribution.hpp"
#include "tessera/pipeline/plan/plan_nodes.hpp"

namespace tessera {

/// The properties of one array that follow from the schedule. They are the same on all ranks; arrays and
/// stages are named by their ids.
struct ScheduledArray {
  /// The placement of the array's stage.
  Placement placement = Placement::distributed;
  /// The number of dimensions of the points that the stage runs over; for a global reduction that of its
  /// input.
  int dimensions = 0;
  /// How the points of the array are distributed over their owners; for a global reduction, which rank
  /// contributes which points.
  BlockDistribution distribution;
  /// The number of the array's grid among the different grids of all arrays.
  int grid = 0;
  /// The points of a tile in each dimension, x first, as the schedule gives them; it may have fewer entries
  /// than dimensions.
  TileSize tile;
  /// The stages that read the array.
  std::vector<int> consumers;
  /// The number of inputs that all arrays before this one have together, each counted: the place of this
  /// array's needs in a list of the needs of all stages.
  int first_need = 0;
  /// Devices: the group of fusable stages in which the array may be computed in tiles; -1: none.
  int group = -1;
  /// Hosts: the global reductions of outputs of this stage to which the tiles of the stage contribute. Only
  /// the first output of a stage has entries.
  std::vector<int> contributes = {};
  /// Hosts: for a global reduction the stage whose tiles contribute to it; -1: none.
  int contributed_by = -1;
  /// Hosts: the stage in whose tiles the points that this stage contributes are computed, which is the stage
  /// itself unless it is computed in the tiles of another one; -1: it contributes to nothing.
  int contributes_in = -1;
  /// Hosts: the stages that only reductions read, and that are computed in the tiles of this stage because
  /// their inputs are computed there.
  std::vector<int> computed_in_its_tiles = {};
  /// Hosts: whether only reductions to which tiles contribute read the array, so that its points are kept no
  /// longer than a tile is computed.
  bool is_only_reduced = false;
  /// Whether the array is computed into one buffer and read from another, because one buffer for both would
  /// be larger. This happens where a stage and its consumers have grids of different kinds.
  bool has_separate_buffers = false;
};

}  // namespace tessera
