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

/// The boxes that a set of ranks requires and computes of the arrays of a pipeline. They contain the boxes of
/// every rank of the set, because a larger box never needs fewer points; for a single rank they are exact.
/// Boxes are worked out when they are asked for, array by array, and kept, because the search for a rank's
/// partners asks for the same sets of ranks for all arrays, and neighbouring ranks ask for them as well.
class Regions {
 public:
  /// Makes the regions of `scheduled`, which must outlive them. The answers that are kept take at most about
  /// `most_bytes` bytes, but the answers for the selected ranks are always kept.
  explicit Regions(const ScheduledPipeline& scheduled, std::int64_t most_bytes = std::int64_t(64) << 20);

  /// Selects the ranks [first, last), of which there must be at least one: from here on answers are for them.
  /// References to earlier answers are not valid any more.
  void select(int first, int last);

  /// Returns the hull of the points of an array that the consumers on the selected ranks read, the points
  /// that its boundary conditions copy from, and the owned points if it is an output. Ranks must be selected
  /// before.
  const Box& required(int array);
  /// Returns the points that the selected ranks compute of the array's stage; for a global reduction the
  /// points that they contribute. Ranks must be selected before.
  const Box& computed(int array);

 private:
  /// The answers for a set of ranks, as far as they were asked for.
  struct Answers {
    std::vector<std::optional<Box>> required;
    std::vector<std::optional<Box>> computed;
    /// The positions of the ranks in each grid.
    std::vector<std::optional<ProcessorGrid::Positions>> positions;
  };

  /// The points of an array that the ranks own.
  Box owned(int array);
  Box find_required(int array);
  Box find_computed(int stage);
  /// The points of each input that a stage reads, in the order of its inputs.
  const Box* needs(int stage);

  const ScheduledPipeline& scheduled_;
  int first_ = 0;
  int last_ = 0;
  Answers* selected_ = nullptr;
  /// The answers of each set of ranks, by its first and last rank.
  std::unordered_map<std::uint64_t, Answers> answers_;
  std::size_t most_answers_;
  /// The needs of all stages, one after the other, and the selection for which each was found.
  std::vector<Box> needs_;
  std::vector<std::uint64_t> needs_selection_;
  std::uint64_t selection_ = 0;
};

}  // namespace tessera
