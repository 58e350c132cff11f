// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/domain/block_distribution.hpp"
#include "tessera/pipeline/plan/plan_nodes.hpp"

namespace tessera {

/// What a schedule settles about one array, the same for all ranks.
struct ScheduledArray {
  Placement placement = Placement::distributed;
  /// Of the points that its stage runs over: of a global reduction, those of its input.
  int dimensions = 0;
  /// Who owns its points; of a global reduction, who contributes which points.
  BlockDistribution distribution;
  /// The number of its grid among the different grids of all arrays.
  int grid = 0;
  TileSize tile;
  /// The stages that read it.
  std::vector<int> consumers;
  /// Where its needs begin among those of all stages.
  int first_need = 0;
  /// Devices: the group of fusable stages in which it may be computed in tiles; -1: none.
  int group = -1;
  /// Hosts: the global reductions of its stage's outputs that the stage's tiles contribute to. The first
  /// output of the stage has them.
  std::vector<int> contributes = {};
  /// Hosts: of a global reduction the stage whose tiles contribute to it, else -1.
  int contributed_by = -1;
  /// The stage in whose tiles the contributions are computed: itself, or the one whose tiles it is computed
  /// in.
  int contributes_in = -1;
  /// Stages that nothing but such reductions reads, and that are computed in the tiles of this one, as they
  /// read what its other members compute.
  std::vector<int> computed_in_its_tiles = {};
  /// Hosts: nothing but those reductions reads it, so that it is kept no longer than a tile is computed.
  bool is_only_reduced = false;
  /// It is computed into one buffer and read from another, because one buffer that held both would be larger:
  /// this happens where a stage and its consumers have grids of different kinds.
  bool has_separate_buffers = false;
};

}  // namespace tessera
