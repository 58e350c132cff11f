// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/domain/rank_search.hpp"
#include "tessera/pipeline/planner/regions.hpp"
#include "tessera/pipeline/planner/scheduled_pipeline.hpp"
#include "tessera/view/block_layout.hpp"

namespace tessera {

/// The boxes of an array that a rank keeps in memory: the box that is computed or read from files, and the
/// box that its consumers read.
struct Storage {
  /// The box that is computed or read from files.
  Box written;
  /// The box that consumers read.
  Box read;
  /// The x of the point of each row that is aligned to 64 bytes where the array is written (see
  /// padded_layout).
  std::int64_t written_x = 0;
  /// The x of the point of each row that is aligned to 64 bytes where the array is read.
  std::int64_t read_x = 0;
  /// Whether both boxes are parts of one buffer, which holds their hull.
  bool shared = true;
};

/// The regions of one rank and of all others, and the messages that follow from them. A rank plans with
/// these.
class RankRegions {
 public:
  /// Makes the regions of `rank`. `others` answers questions about other ranks; it and `scheduled` must
  /// outlive this object.
  RankRegions(const ScheduledPipeline& scheduled, int rank, Regions& others);

  /// The points of an array that this rank requires, as Regions::required says.
  const Box& required(int array) { return own_.required(array); }
  /// The points that this rank computes, as Regions::computed says.
  const Box& computed(int array) { return own_.computed(array); }

  /// Returns how this rank keeps an array. Rows are aligned at the first point that is computed; rows of
  /// inputs are aligned where the first consumer starts, because each of its loads would cross cache lines
  /// otherwise when the input has a margin.
  Storage storage(int array) { return storage_of(own_, array); }

  /// Returns the boxes of an exchanged array that this rank sends and receives, and those that it copies from
  /// the buffer in which the array is computed to the one in which it is read. The search for partners begins
  /// where that for the array before left off.
  ExchangeLists messages(int array);

 private:
  Storage storage_of(Regions& regions, int array) const;
  /// Returns the layout in which a rank with these regions holds the points that it sends (`written`) or
  /// receives.
  BlockLayout layout(Regions& regions, int array, bool written) const;

  const ScheduledPipeline& scheduled_;
  int rank_;
  Regions own_;
  Regions& others_;
  RankSearch search_;
};

/// Returns the layout of a buffer with the points of `box`, whose rows are aligned at `aligned_x`.
BlockLayout buffer_layout(const Box& box, std::int64_t aligned_x, ElementType type);

}  // namespace tessera
