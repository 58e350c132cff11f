// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/domain/block_distribution.hpp"
#include "tessera/domain/grid_choices.hpp"
#include "tessera/pipeline/plan.hpp"
#include "tessera/pipeline/regions.hpp"

namespace tessera {

/// A pipeline with its schedule, settled for a number of ranks: what all ranks have in common, and what each
/// can work out about every other. The pipeline must outlive it.
class ScheduledPipeline {
 public:
  /// Throws as make_plan.
  ScheduledPipeline(const Pipeline& pipeline, const Schedule& schedule, const Target& target, int rank_count);

  /// One array.
  struct Stage {
    Placement placement = Placement::distributed;
    /// Of the points that its stage runs over: of a global reduction, those of its input.
    int dimensions = 0;
    /// Who owns it; of a global reduction, who contributes which points.
    BlockDistribution distribution;
    /// Which of the different grids it has.
    int grid = 0;
    TileSize tile;
    /// The stages that read it.
    std::vector<int> consumers;
    /// Where its needs begin among those of all stages.
    int first_need = 0;
    /// Devices: the group of fusable stages in which it may be computed in tiles; -1: none.
    int group = -1;
    /// It is computed into one buffer and read from another, because one that held both would be larger:
    /// where a stage and its consumers have grids of different kinds.
    bool apart = false;
  };

  const Pipeline& pipeline() const { return *pipeline_; }
  const Target& target() const { return target_; }
  Overlap overlap() const { return overlap_; }
  int rank_count() const { return rank_count_; }
  const Stage& operator[](int id) const { return stages_[static_cast<std::size_t>(id)]; }
  int size() const { return static_cast<int>(stages_.size()); }
  /// The inputs of all stages, each counted.
  int total_inputs() const { return total_inputs_; }
  /// How many different grids the arrays have.
  int grid_count() const { return grid_count_; }

  /// Writes the boxes of its inputs that a stage needs to compute `box`; empty ones when that is empty.
  /// Throws InternalError, naming the stage, when they have no bounds.
  void required_of(int stage, const Box& box, Box* needs) const;

  /// The array is read by other ranks than its owner: an input, or a distributed stage with consumers.
  bool is_exchanged(int id) const;

 private:
  void check_names(const Schedule& schedule) const;
  Placement settle_placement(int id, const Schedule& schedule) const;
  /// Gives every array its domain and nominal box, walking from the outputs to the inputs.
  void settle_domains(std::vector<Box>& domains, std::vector<Box>& nominals) const;
  /// The same for what stage `id` reads, its own being known.
  void settle_inputs(int id, const Box& domain, const Box& nominal, std::vector<Box>& domains,
                     std::vector<Box>& nominals) const;
  void check_domain(int id, const Box& domain) const;
  void settle_distribution(int id, const Schedule& schedule, GridChoices& grids, const Box& domain,
                           const Box& nominal);
  /// Numbers the different grids.
  void number_grids();
  void settle_tile(int id, const Schedule& schedule);
  /// What grids are chosen for: one footprint for all arrays, so that equal arrays get equal grids.
  GridTarget grid_target(const Schedule& schedule, const std::vector<Box>& domains) const;
  /// The grid of a stage that the schedule gives none. A stage that is not distributed has none to choose:
  /// the share that each rank stands for follows the first consumer.
  GridRequest common_grid(int id, const Schedule& schedule) const;
  std::vector<Box> required_of(int id, const Box& box) const;
  /// Devices: stages in tiles that no group can compute become `rank`.
  void settle_groups();
  bool fits_group(int root, int group) const;
  /// Decides by some ranks for all, as all ranks must have the same buffers.
  void settle_storage();

  const Pipeline* pipeline_;
  Target target_;
  Overlap overlap_;
  int rank_count_;
  int total_inputs_ = 0;
  int grid_count_ = 0;
  std::vector<Stage> stages_;
};

/// `box` of a stage with all points along the dimensions that it has as a whole.
Box with_whole_lines(const StageDeclaration& stage, Box box);

}  // namespace tessera
