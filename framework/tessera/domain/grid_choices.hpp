// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/domain/processor_grid.hpp"

namespace tessera {

/// Chooses the processor grids of arrays, all for the same number of ranks. It remembers each choice, so that
/// the same request for the same box is resolved only once.
class GridChoices {
 public:
  /// Sets the arguments `rank_count` and `target` of resolve_grid for all choices.
  GridChoices(int rank_count, const GridTarget& target) : rank_count_(rank_count), target_(target) {}

  /// Returns resolve_grid(request, box, rank_count, target), and throws InputError when resolve_grid does.
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
