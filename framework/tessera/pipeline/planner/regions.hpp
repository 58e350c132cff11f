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

/// What a set of ranks requires and computes of the arrays of a pipeline: boxes that hold those of every
/// member, as inference is inclusion-isotone, and for one rank exact. Worked out when asked for, array by
/// array: no array costs anything that nobody asks about. What was worked out is kept: the
/// search for a rank's partners comes to the same sets of ranks for all arrays, and so do the ranks beside
/// it.
class Regions {
 public:
  /// Keeps answers of about `most_bytes` at most, but those of one set of ranks at least.
  explicit Regions(const ScheduledPipeline& scheduled, std::int64_t most_bytes = std::int64_t(64) << 20);

  /// From here on the answers are those for the ranks [first, last). References to earlier ones are not valid
  /// any more.
  void select(int first, int last);

  /// What consumers read of an array, what its boundary conditions copy from, and its owned part if it is an
  /// output.
  const Box& required(int array);
  /// What its stage computes; of a global reduction, the points that are contributed.
  const Box& computed(int array);

 private:
  /// The answers for a set of ranks, as far as they were asked for.
  struct Answers {
    std::vector<std::optional<Box>> required;
    std::vector<std::optional<Box>> computed;
    /// Where the ranks sit, by grid.
    std::vector<std::optional<ProcessorGrid::Positions>> positions;
  };

  /// What the ranks own of an array.
  Box owned(int array);
  Box find_required(int array);
  Box find_computed(int stage);
  /// What a stage reads of each of its inputs.
  const Box* needs(int stage);

  const ScheduledPipeline& scheduled_;
  int first_ = 0;
  int last_ = 0;
  Answers* selected_ = nullptr;
  /// By first and last.
  std::unordered_map<std::uint64_t, Answers> answers_;
  std::size_t most_answers_;
  /// The needs of all stages, one after the other, and for which selection each was found.
  std::vector<Box> needs_;
  std::vector<std::uint64_t> needs_selection_;
  std::uint64_t selection_ = 0;
};

}  // namespace tessera
