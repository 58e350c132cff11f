// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "tessera/domain/box.hpp"
#include "tessera/domain/processor_grid.hpp"

namespace tessera {

class ScheduledPipeline;

/// The boxes of points that a set of ranks requires and computes, for each array of a pipeline. For a set of
/// several ranks, a box contains the boxes of all these ranks and may contain further points. For a single
/// rank, a box is exact. A box is computed when it is first asked for, and then kept. This saves time,
/// because the planner needs the boxes of the same set of ranks again and again: for many arrays, and when it
/// plans neighbouring ranks.
class Regions {
 public:
  /// Makes the regions of `scheduled`, which must outlive this object. The boxes that are kept take at most
  /// about `most_bytes` bytes. The boxes of the selected ranks are always kept.
  explicit Regions(const ScheduledPipeline& scheduled, std::int64_t most_bytes = std::int64_t(64) << 20);

  /// Selects the ranks [first, last). `last` must be greater than `first`. `required` and `computed` then
  /// return boxes of these ranks. References that these functions have returned before become invalid.
  void select(int first, int last);

  /// Returns a box of the array that contains all points that the selected ranks require: the points that
  /// their stages read, the points from which boundary conditions take values, and, for an output, the points
  /// that the ranks own. Ranks must have been selected before.
  const Box& required(int array);
  /// Returns a box of the array that contains all points that the selected ranks compute. For a global
  /// reduction, it contains the points that these ranks contribute. Ranks must have been selected before.
  const Box& computed(int array);

 private:
  /// The boxes of one set of ranks. A box that has not been asked for has no value.
  struct Answers {
    std::vector<std::optional<Box>> required;
    std::vector<std::optional<Box>> computed;
    /// The positions of the ranks in each processor grid, by the number of the grid.
    std::vector<std::optional<ProcessorGrid::Positions>> positions;
  };

  /// Returns a box of the array that contains all points that the selected ranks own.
  Box owned(int array);
  Box find_required(int array);
  Box find_computed(int stage);
  /// Returns the box of each input that the selected ranks need to compute a stage. The boxes are in the
  /// order of the inputs of the stage.
  const Box* needs(int stage);

  const ScheduledPipeline& scheduled_;
  int first_ = 0;
  int last_ = 0;
  Answers* selected_ = nullptr;
  /// The boxes of each set of ranks [first, last). The upper 32 bits of a key are `first`, and the lower 32
  /// bits are `last`.
  std::unordered_map<std::uint64_t, Answers> answers_;
  std::size_t most_answers_;
  /// The boxes that needs() has found for all stages, one stage after the other (see
  /// ScheduledArray::first_need). `selection_` counts the changes of the selection. The boxes of a stage in
  /// `needs_` are valid if the stage's number in `needs_selection_` equals `selection_`.
  std::vector<Box> needs_;
  std::vector<std::uint64_t> needs_selection_;
  std::uint64_t selection_ = 0;
};

}  // namespace tessera
