// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "search.hpp"
#include "tessera/graph/graph.hpp"

namespace stitch {

/// The searches of one rank for the translations of pairs that do not agree with the model of the stage.
class Searches {
 public:
  /// `reader` must outlive this object. `channel` is the channel that is compared. As many `workers` search
  /// at the same time as `memory` allows, if it is above 0.
  Searches(const TileReader& reader, int channel, int workers, std::int64_t memory);

  /// Adds the tasks to the graph: outliers, search, note. The graph must not outlive this object.
  void add_tasks(tessera::graph::Graph& graph);
  /// The most bytes that the searches have on this rank, unless the stage is off its step by more than an
  /// eighth of a tile.
  std::int64_t bytes() const { return areas_ * searcher_.bytes(); }

  /// Says what the next run of the graph searches: the pairs of this rank, around the steps of `model`.
  void set_work(const StageModel& model, std::vector<Pair> pairs);
  /// The results of the run, in the order of the pairs.
  const std::vector<Translation>& results() const { return results_; }

 private:
  /// The pixels of a pair of tiles, and the right to use the memory of a search.
  struct Area {
    std::vector<std::uint16_t> first, second;
  };
  Translation search_pair(const Pair& pair, Area& area) const;

  const TileReader& reader_;
  int channel_;
  Searcher searcher_;
  int areas_ = 1;
  StageModel model_;
  std::vector<Pair> pairs_;
  std::vector<Translation> results_;
};

}  // namespace stitch
