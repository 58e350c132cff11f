// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/domain/block_distribution.hpp"
#include "tessera/domain/grid_choices.hpp"
#include "tessera/pipeline/plan/plan.hpp"
#include "tessera/pipeline/plan/window.hpp"
#include "tessera/pipeline/planner/regions.hpp"

namespace tessera {

/// A pipeline with its schedule, settled for a number of ranks: what all ranks have in common, and what each
/// can work out about every other. The pipeline must outlive it.
class ScheduledPipeline {
 public:
  /// Throws as make_plan. Of a window, only what it wants.
  ScheduledPipeline(const Algorithm& pipeline, const Schedule& schedule, const Target& target, int rank_count,
                    Window window = {});

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
    /// Hosts: the global reductions of its outputs that its tiles contribute to (of its first output); and of
    /// such a reduction that stage, else -1.
    std::vector<int> contributes = {};
    int contributed_by = -1;
    /// In whose tiles it does so: its own, or those that it is computed in.
    int contributes_in = -1;
    /// Stages that nothing but such reductions reads, computed in tiles of this one as they read what its
    /// other members compute.
    std::vector<int> adopted = {};
    /// Hosts: nothing but those reductions reads it, so that it is kept no longer than a tile is computed.
    bool is_fleeting = false;
    /// Which of the families it belongs to; 0, which has no members: none.
    int family = 0;
    /// It is computed into one buffer and read from another, because one that held both would be larger:
    /// where a stage and its consumers have grids of different kinds.
    bool apart = false;
  };

  const Algorithm& pipeline() const { return *pipeline_; }
  const Target& target() const { return target_; }
  Overlap overlap() const { return overlap_; }
  int rank_count() const { return rank_count_; }
  const Window& window() const { return window_; }
  /// Of an output the points that are wanted, of a global reduction those that contribute to it.
  Box wanted(int id) const { return window_.wanted(*pipeline_, id); }
  /// A value or a global reduction that another pass computes.
  bool is_left_out(int id) const {
    return !window_.is_whole() && (*pipeline_)[id].is_everywhere() && wanted(id).empty();
  }
  /// An output, or a part of it, and which of the points that a rank owns it writes.
  bool is_written(int id) const {
    const ArrayDeclaration& array = (*pipeline_)[id];
    return array.is_output && (array.is_everywhere() ? window_.writes_values() : !wanted(id).empty());
  }
  Box written(int id, const Box& owned) const {
    const ArrayDeclaration& array = (*pipeline_)[id];
    return intersection(owned, array.is_everywhere() ? array.domain : wanted(id));
  }
  const Stage& operator[](int id) const { return stages_[static_cast<std::size_t>(id)]; }
  int size() const { return static_cast<int>(stages_.size()); }
  /// The arrays that change places with this one in loops, itself among them, in order; none: no loop feeds
  /// it. They have the same blocks, and buffers of one shape.
  const std::vector<int>& family(int id) const;
  const std::vector<std::vector<int>>& families() const { return families_; }
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
  /// Of what is kept beyond a stage: what ends at its domain, values, and outputs.
  void settle_kept(int id, Box& domain, Box& nominal) const;
  /// The same for what stage `id` reads, its own being known.
  void settle_inputs(int id, const Box& domain, const Box& nominal, std::vector<Box>& domains,
                     std::vector<Box>& nominals) const;
  void check_domain(int id, const Box& domain) const;
  /// Of what loops feed: that it is computed where it is read in the next turn, and there only.
  void settle_fed(int id, Box& domain, Box& nominal) const;
  void check_fed(const std::vector<Box>& domains) const;
  void find_families();
  /// The stage that a member of a family has its blocks from, the one with the last member; of a stage
  /// without a family, and of that one, the stage itself. Throws ScheduleError when the schedule gives it
  /// other blocks.
  int settle_family(int id, const Schedule& schedule) const;
  void check_family_grid(int id, const Schedule& schedule) const;
  /// Dimensions in which a member of the stage's family is computed in whole lines, or the stage itself.
  std::array<bool, max_dimensions> dimensions_with_lines(int id) const;
  /// What is computed in tiles of its consumers is computed when they are: in the same turns.
  void check_loop_of_consumers(int id) const;
  bool leads_nowhere(int id) const;
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
  /// Hosts: reductions that the tiles of the stage before them contribute to.
  void settle_contributions(const Schedule& schedule);
  bool can_contribute(int reduction, const Schedule& schedule) const;
  /// The stage in whose tiles a `tile` stage is computed, if there is but one and it owns the same points;
  /// else -1. Of a stage that only reductions read it is the one in whose tiles its inputs are computed.
  int root_of_tiles(int stage) const;
  /// Appends the stages in whose tiles a `tile` stage is computed, but for reductions.
  void add_roots(int stage, std::vector<int>& roots) const;
  /// Decides by some ranks for all, as all ranks must have the same buffers.
  void settle_storage();

  const Algorithm* pipeline_;
  Target target_;
  Window window_;
  Overlap overlap_;
  int rank_count_;
  int total_inputs_ = 0;
  int grid_count_ = 0;
  std::vector<Stage> stages_;
  std::vector<std::vector<int>> families_ = {{}};
};

}  // namespace tessera
