// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/domain/block_distribution.hpp"
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
  /// The x coordinate of the point of each row that is aligned to 64 bytes in the buffer in which the array
  /// is computed or read from files (see padded_layout).
  std::int64_t written_x = 0;
  /// The x coordinate of the point of each row that is aligned to 64 bytes in the buffer that consumers read.
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
  const Box& required(int array) { return own_.required(array); }
  /// Returns the points of an array that this rank computes (see Regions::computed).
  const Box& computed(int array) { return own_.computed(array); }

  /// Returns the boxes of an array that this rank keeps. Rows are aligned at the first point that is
  /// computed. Rows of inputs are aligned at the first point of their first consumer, because otherwise each
  /// load of the consumer would cross cache lines if the input has a margin.
  Storage storage(int array) { return storage_of(own_, array); }

  /// Returns the boxes of an exchanged array that this rank sends and receives, and the boxes that it copies
  /// from the buffer in which the array is computed to the buffer in which the array is read. The search for
  /// partners begins with the partners that were found for the previous array.
  ExchangeLists messages(int array);

 private:
  Storage storage_of(Regions& regions, int array) const;
  /// Returns the layout of a buffer of the rank with the regions `regions`. If `written` is true, it is the
  /// buffer from which the points of an array are sent, otherwise the buffer into which they are received.
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
