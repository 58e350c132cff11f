// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/domain/block_distribution.hpp"
#include "tessera/pipeline/plan.hpp"

namespace tessera {

/// A pipeline with its schedule, settled for a number of ranks: what every rank can work out about every
/// other.
class ScheduledPipeline {
 public:
  /// Throws as make_plan.
  ScheduledPipeline(const Pipeline& pipeline, const Schedule& schedule, const Target& target, int rank_count);

  struct Stage {
    Placement placement = Placement::distributed;
    BlockDistribution distribution;
    TileSize tile;
    std::vector<int> consumers;
  };
  /// Boxes of every stage that hold what a set of ranks requires and computes of it.
  struct Regions {
    std::vector<Box> required;
    std::vector<Box> computed;
  };

  const Pipeline& pipeline() const { return *pipeline_; }
  const Stage& operator[](int id) const { return stages_[static_cast<std::size_t>(id)]; }
  int size() const { return static_cast<int>(stages_.size()); }

  /// The regions of the ranks [first, last) together. They hold those of every member, as inference is
  /// inclusion-isotone, and for one rank they are exact.
  Regions regions(int first, int last) const;

  /// The array is read by other ranks than its owner: an input, or a distributed stage with consumers.
  bool is_exchanged(int id) const;

  /// The messages of `rank` for such an array.
  ExchangeLists messages(int id, int rank) const;

  /// How a rank with these regions keeps an array in memory.
  BlockLayout layout(int id, const Regions& regions) const;

 private:
  void check_names(const Schedule& schedule) const;
  Placement settle_placement(int id, const Schedule& schedule, const Target& target) const;
  /// Gives every array its domain and nominal box, walking from the outputs to the inputs.
  void settle_domains(std::vector<Box>& domains, std::vector<Box>& nominals) const;
  void check_domain(int id, const Box& domain) const;
  void settle_distribution(int id, const Schedule& schedule, const GridTarget& target, const Box& domain,
                           const Box& nominal, int rank_count);
  /// What grids are chosen for: one footprint for all arrays, so that equal arrays get equal grids.
  GridTarget grid_target(const Schedule& schedule, const Target& target,
                         const std::vector<Box>& domains) const;
  /// The grid of a stage that the schedule gives none. A stage that is not distributed has none to choose:
  /// the share that each rank stands for follows the first consumer.
  GridRequest common_grid(const Stage& stage, const Schedule& schedule) const;
  std::vector<Box> required_of(int id, const Box& box) const;

  const Pipeline* pipeline_;
  std::vector<Stage> stages_;
};

}  // namespace tessera
