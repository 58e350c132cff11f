// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/group/rank_ranges.hpp"

namespace tessera::group::detail {

/// A set of ranks as ranges in rising order, of which no two touch.
using RankSet = std::vector<RankRange>;

/// The times at which the ranks of a machine have done their last tasks. Ranks that became free at the same
/// time are kept as one range, so that the work depends on the number of tasks and not on that of ranks.
class FreeRanks {
 public:
  /// A time at which ranks become free, and the number of all ranks that are free then.
  struct Count {
    double free = 0;
    int ranks = 0;
  };

  /// Makes all ranks free from the beginning.
  explicit FreeRanks(int ranks) : ranks_(ranks) { clear(); }
  /// Makes all ranks free from the beginning again.
  void clear();

  /// Returns the time from which so many ranks are free.
  double when_free(int count) const;
  /// Returns the time from which all ranks of a set are free.
  double when_free(const RankSet& set) const;
  /// Returns the numbers of free ranks, by rising time. Of several entries with one time, the last one
  /// counts.
  const std::vector<Count>& counts() const { return counts_; }
  /// Returns so many ranks that are free at a time from which there are so many. They are contiguous if that
  /// is possible, and have been idle for the least time.
  RankSet choose(int count, double start) const;
  /// Makes the ranks of a set free from `finish`, and not before.
  void occupy(const RankSet& set, double finish);

 private:
  struct Segment {
    RankRange ranks;
    double free = 0;
  };
  std::vector<RankRange> free_runs(double start) const;
  double busy_before(const RankRange& window) const;
  RankSet choose_scattered(int count, double start) const;
  void count_ranks();

  int ranks_;
  std::vector<Segment> segments_, before_;
  std::vector<Count> counts_;
};

}  // namespace tessera::group::detail
