// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "tessera/domain/block_distribution.hpp"
#include "tessera/domain/box.hpp"
#include "tessera/domain/processor_grid.hpp"
#include "tessera/pipeline/algorithm/declarations.hpp"
#include "tessera/pipeline/planner/scheduled_pipeline.hpp"
#include "tessera/view/block_layout.hpp"

namespace tessera {

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
  /// their stages read, the points whose values boundary conditions take, and, for an output, the points
  /// that the ranks own. Ranks must have been selected before.
  const Box& required(ArrayId array);
  /// Returns a box of the array that contains all points that the selected ranks compute. For a global
  /// reduction, it contains the points that these ranks contribute. Ranks must have been selected before.
  const Box& computed(ArrayId array);

 private:
  /// The boxes of one set of ranks. A box that has not been asked for has no value.
  struct Answers {
    IdVector<ArrayId, std::optional<Box>> required;
    IdVector<ArrayId, std::optional<Box>> computed;
    /// The positions of the ranks in each processor grid, by the number of the grid.
    std::vector<std::optional<ProcessorGrid::Positions>> positions;
  };

  /// Returns a box of the array that contains all points that the selected ranks own.
  Box owned(ArrayId array);
  Box find_required(ArrayId array);
  Box find_computed(ArrayId stage);
  /// Returns the box of each input that the selected ranks need to compute a stage. The boxes are in the
  /// order of the inputs of the stage.
  const std::vector<Box>& needs(ArrayId stage);

  const ScheduledPipeline& scheduled_;
  int first_ = 0;
  int last_ = 0;
  Answers* selected_ = nullptr;
  /// The boxes of each set of ranks [first, last). The upper 32 bits of a key are `first`, and the lower 32
  /// bits are `last`.
  std::unordered_map<std::uint64_t, Answers> answers_;
  std::size_t most_answers_;
  /// The boxes that needs() has found for a stage, and the value that `selection_` had then.
  struct Needs {
    std::vector<Box> boxes;
    std::uint64_t selection = 0;
  };
  IdVector<ArrayId, Needs> needs_;
  /// The number of changes of the selection.
  std::uint64_t selection_ = 0;
};

/// The boxes of an array that a rank keeps in memory: the box that is computed or read from files, and the
/// box that its consumers read.
struct Storage {
  /// The box that is computed or read from files.
  Box written;
  /// The box that consumers read.
  Box read;
  /// In the buffer of `written`, the point of each row with this x coordinate is aligned to 64 bytes (see
  /// padded_layout).
  std::int64_t written_x = 0;
  /// In the buffer of `read`, the point of each row with this x coordinate is aligned to 64 bytes.
  std::int64_t read_x = 0;
  /// Whether both boxes are parts of one buffer, which holds their hull.
  bool shared = true;
};

/// The boxes of each array that one rank computes, requires and keeps, and the messages between this rank and
/// other ranks. The plan of the rank is made from these.
class RankRegions {
 public:
  /// Makes the regions of `rank`. `others` is used for the regions of other ranks. Both `others` and
  /// `scheduled` must outlive this object.
  RankRegions(const ScheduledPipeline& scheduled, int rank, Regions& others);

  /// Returns the points of an array that this rank requires (see Regions::required).
  const Box& required(ArrayId array) { return own_.required(array); }
  /// Returns the points of an array that this rank computes (see Regions::computed).
  const Box& computed(ArrayId array) { return own_.computed(array); }

  /// Returns the boxes of an array that this rank keeps. Rows are aligned at the first point that is
  /// computed. Rows of inputs are aligned at the first point of their first consumer, because otherwise each
  /// load of the consumer would cross cache lines if the input has a margin.
  Storage storage(ArrayId array) { return storage_of(own_, array); }

  /// Returns the boxes of an exchanged array that this rank sends and receives, and the boxes that it copies
  /// from the buffer of computed points to the buffer that consumers read. The search for
  /// partners begins with the partners that were found for the previous array.
  ExchangeLists messages(ArrayId array);

 private:
  Storage storage_of(Regions& regions, ArrayId array) const;
  /// Returns the layout of a buffer of the rank with the regions `regions`. If `written` is true, the points
  /// of an array are sent from this buffer, otherwise they are received into it.
  BlockLayout layout(Regions& regions, ArrayId array, bool written) const;

  const ScheduledPipeline& scheduled_;
  int rank_;
  Regions own_;
  Regions& others_;
  RankSearch search_;
};

/// Returns the layout of a buffer with the points of `box`, whose rows are aligned at `aligned_x`.
BlockLayout buffer_layout(const Box& box, std::int64_t aligned_x, ElementType type);

}  // namespace tessera
