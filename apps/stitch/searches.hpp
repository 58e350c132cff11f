// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "search.hpp"
#include "tessera/graph/graph.hpp"

namespace stitch {

/// The searches of one rank for the translations of pairs that do not agree with the model of the stage.
class Searches {
 public:
  /// `reader` must outlive this object. `channel` is the channel that is compared.
  Searches(const TileReader& reader, int channel)
      : reader_(reader), channel_(channel), searcher_(reader.extent()) {}

  /// Adds the tasks to the graph: outliers, search, note. The graph must not outlive this object.
  void add_tasks(tessera::graph::Graph& graph);

  /// Says what the next run of the graph searches: the pairs of this rank, around the steps of `model`.
  void set_work(const StageModel& model, std::vector<Pair> pairs);
  /// The results of the run, in the order of the pairs.
  const std::vector<Translation>& results() const { return results_; }

 private:
  Translation search_pair(const Pair& pair) const;

  const TileReader& reader_;
  int channel_;
  Searcher searcher_;
  StageModel model_;
  std::vector<Pair> pairs_;
  std::vector<Translation> results_;
};

}  // namespace stitch
