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
/// rank can work out about every other one. The pipeline must outlive it.
class ScheduledPipeline {
 public:
  /// Settles the schedule for `rank_count` ranks and for the points that `window` wants. Throws as make_plan
  /// does, and InternalError when in_rounds was not called for a schedule with rounds.
  ScheduledPipeline(const Algorithm& pipeline, const Schedule& schedule, const Target& target, int rank_count,
                    Window window = {});

  /// The settled schedule of one array.
  struct Stage {
    /// Where the stage is computed.
    Placement placement = Placement::distributed;
    /// The number of dimensions of the points that its stage runs over; for a global reduction those of its
    /// input.
    int dimensions = 0;
    /// The distribution of its points over the ranks that own them; for a global reduction the ranks that
    /// contribute the points of its input.
    BlockDistribution distribution;
    /// The number of its grid among the different grids of all arrays.
    int grid = 0;
    /// The tile that the schedule asks for; empty means `auto`.
    TileSize tile;
    /// The ids of the stages that read it.
    std::vector<int> consumers;
    /// The place of its first need among those of all stages (see total_inputs).
    int first_need = 0;
    /// Devices: the number of the fusable group that computes it together with the stages in its tiles; -1:
    /// none.
    int group = -1;
    /// Hosts: for the first output of a stage, the ids of the global reductions of its outputs to which the
    /// stage's tiles contribute.
    std::vector<int> contributes = {};
    /// Hosts: for such a reduction, the id of the stage whose tiles contribute to it; -1 for other arrays.
    int contributed_by = -1;
    /// The stage in whose tiles it contributes: itself, or the one in whose tiles it is computed; -1: none.
    int contributes_in = -1;
    /// Stages that nothing but such reductions reads, and that are computed in the tiles of this stage
    /// because they read what other stages compute there.
    std::vector<int> adopted = {};
    /// Hosts: whether nothing but reductions that its tiles contribute to reads it, so that it is kept no
    /// longer than a tile is computed.
    bool is_fleeting = false;
    /// The number of its family (see ScheduledPipeline::family); 0: it has none.
    int family = 0;
    /// Whether it is computed into one buffer and read from another, because one buffer for both would be
    /// larger. So it is where a stage and its consumers have grids of different kinds.
    bool apart = false;
  };

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
  /// Whether the array is a value or a global reduction that another pass computes.
  bool is_left_out(int id) const {
    return !window_.is_whole() && (*pipeline_)[id].is_everywhere() && wanted(id).empty();
  }
  /// Whether the array is an output of which points are written in this window.
  bool is_written(int id) const {
    const ArrayDeclaration& array = (*pipeline_)[id];
    return array.is_output && (array.is_everywhere() ? window_.writes_values() : !wanted(id).empty());
  }
  /// The points that a rank writes of an output of which it owns `owned`.
  Box written(int id, const Box& owned) const {
    const ArrayDeclaration& array = (*pipeline_)[id];
    return intersection(owned, array.is_everywhere() ? array.domain : wanted(id));
  }
  /// The settled schedule of the array with this id.
  const Stage& operator[](int id) const { return stages_[static_cast<std::size_t>(id)]; }
  /// The number of arrays.
  int size() const { return static_cast<int>(stages_.size()); }
  /// The ids of the arrays that change places with this one in loops, itself among them, in rising order;
  /// empty when no loop feeds it. They have the same blocks, and buffers of one shape.
  const std::vector<int>& family(int id) const;
  /// All families; the first, which is empty, is that of arrays without one.
  const std::vector<std::vector<int>>& families() const { return families_; }
  /// The sum of the numbers of inputs of all stages.
  int total_inputs() const { return total_inputs_; }
  /// The number of different grids that the arrays have.
  int grid_count() const { return grid_count_; }

  /// Writes the box of each input that a stage needs to compute `box`; the boxes are empty when `box` is.
  /// Throws InternalError, which names the stage, when a box has no bounds.
  void required_of(int stage, const Box& box, Box* needs) const;

  /// Whether points of the array go to another rank or buffer: it is an input or a distributed stage that is
  /// kept in memory and has consumers, not every rank has all of it, and there are several ranks or a
  /// periodic side.
  bool is_exchanged(int id) const;

 private:
  void check_names(const Schedule& schedule) const;
  Placement settle_placement(int id, const Schedule& schedule) const;
  /// Gives every array its domain and nominal box, walking from the outputs to the inputs.
  void settle_domains(std::vector<Box>& domains, std::vector<Box>& nominals) const;
  /// The domain and nominal box of an array that ends at its domain, is a value, or is an output.
  void settle_kept(int id, Box& domain, Box& nominal) const;
  /// The domains and nominal boxes of the arrays that stage `id` reads, from its own.
  void settle_inputs(int id, const Box& domain, const Box& nominal, std::vector<Box>& domains,
                     std::vector<Box>& nominals) const;
  void check_domain(int id, const Box& domain) const;
  /// Makes an array that loops feed be computed where it is read in the next turn, and only there.
  void settle_fed(int id, Box& domain, Box& nominal) const;
  void check_fed(const std::vector<Box>& domains) const;
  void find_families();
  /// The stage from which a member of a family has its blocks: the one with the last member. For that stage,
  /// and for a stage without a family, it is the stage itself. Throws ScheduleError when the schedule gives
  /// the member other blocks.
  int settle_family(int id, const Schedule& schedule) const;
  void check_family_grid(int id, const Schedule& schedule) const;
  /// The dimensions in which the stage, or a member of its family, is computed in whole lines.
  std::array<bool, max_dimensions> dimensions_with_lines(int id) const;
  /// Throws ScheduleError unless a stage that is computed in tiles of its consumers runs in the same turns as
  /// they do.
  void check_loop_of_consumers(int id) const;
  bool leads_nowhere(int id) const;
  void settle_distribution(int id, const Schedule& schedule, GridChoices& grids, const Box& domain,
                           const Box& nominal);
  /// Numbers the different grids.
  void number_grids();
  void settle_tile(int id, const Schedule& schedule);
  /// The footprint for which grids are chosen. It is the same for all arrays, so that equal arrays get equal
  /// grids.
  GridTarget grid_target(const Schedule& schedule, const std::vector<Box>& domains) const;
  /// The grid of a stage to which the schedule gives none. A stage that is not distributed has none to
  /// choose: the points that each rank stands for follow the first consumer.
  GridRequest common_grid(int id, const Schedule& schedule) const;
  std::vector<Box> required_of(int id, const Box& box) const;
  /// Devices: makes stages in tiles that no group can compute `rank`.
  void settle_groups();
  bool fits_group(int root, int group) const;
  /// Hosts: finds the reductions to which the tiles of the stage before them contribute.
  void settle_contributions(const Schedule& schedule);
  bool can_contribute(int reduction, const Schedule& schedule) const;
  /// The stage in whose tiles a `tile` stage is computed, if there is only one and it owns the same points;
  /// else -1. For a stage that only reductions read it is the stage in whose tiles its inputs are computed.
  int root_of_tiles(int stage) const;
  /// Appends the stages in whose tiles a `tile` stage is computed, without reductions.
  void add_roots(int stage, std::vector<int>& roots) const;
  /// Decides where arrays are computed and read in different buffers. All ranks must decide alike, so that
  /// the decision is made for all from the boxes of some ranks.
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
