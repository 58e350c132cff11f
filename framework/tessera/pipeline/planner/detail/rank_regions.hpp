// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/domain/rank_search.hpp"
#include "tessera/pipeline/planner/regions.hpp"
#include "tessera/pipeline/planner/scheduled_pipeline.hpp"
#include "tessera/view/block_layout.hpp"

namespace tessera {

/// How a rank keeps an array in memory: where it is computed or read from files, and where its consumers find
/// it.
struct Storage {
  Box written;
  Box read;
  /// The points of each row that start on 64 bytes (see padded_layout), as written and as read.
  std::int64_t written_x = 0;
  std::int64_t read_x = 0;
  /// Both are parts of one buffer, which holds their hull.
  bool shared = true;
};

/// What one rank plans with: its own regions, those of other ranks, and the messages that follow from them.
class RankRegions {
 public:
  /// `others` is asked about other ranks, and must outlive this.
  RankRegions(const ScheduledPipeline& scheduled, int rank, Regions& others);

  const Box& required(int array) { return own_.required(array); }
  const Box& computed(int array) { return own_.computed(array); }

  /// Rows are aligned where the array is computed; those of inputs where the first consumer starts, as every
  /// load of it would else cross cache lines when the input has a margin.
  Storage storage(int array) { return storage_of(own_, array); }

  /// What this rank sends and receives of an array that is exchanged, and what it copies from where it is
  /// computed to where it is read. What other ranks need is searched from where the array before left off.
  ExchangeLists messages(int array);

 private:
  Storage storage_of(Regions& regions, int array) const;
  /// How a rank with these regions holds what is sent (written) or received (read).
  BlockLayout layout(Regions& regions, int array, bool written) const;

  const ScheduledPipeline& scheduled_;
  int rank_;
  Regions own_;
  Regions& others_;
  RankSearch search_;
};

/// The layout of one of the buffers of an array.
BlockLayout buffer_layout(const Box& box, std::int64_t aligned_x, ElementType type);

}  // namespace tessera
