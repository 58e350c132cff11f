// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/domain/processor_grid.hpp"

namespace tessera {

/// Chooses the processor grids of many arrays for one number of ranks, and remembers what it chose: a request
/// that comes again is not searched for again.
class GridChoices {
 public:
  /// All grids will have `rank_count` ranks and are chosen for `target`.
  GridChoices(int rank_count, const GridTarget& target) : rank_count_(rank_count), target_(target) {}

  /// Returns resolve_grid(request, box, rank_count, target), and throws what it throws.
  ProcessorGrid operator()(const GridRequest& request, const Box& box) {
    for (const Choice& choice : choices_)
      if (choice.box == box && choice.request == request) return choice.grid;
    choices_.push_back({request, box, resolve_grid(request, box, rank_count_, target_)});
    return choices_.back().grid;
  }

 private:
  struct Choice {
    GridRequest request;
    Box box;
    ProcessorGrid grid;
  };

  int rank_count_;
  GridTarget target_;
  std::vector<Choice> choices_;
};

}  // namespace tessera
