// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/detail/free_ranks.hpp"

#include <algorithm>

namespace tessera::group::detail {

void FreeRanks::clear() {
  segments_.assign(1, {{0, ranks_}, 0});
  count_ranks();
}

double FreeRanks::when_free(int count) const {
  for (const Count& known : counts_)
    if (known.ranks >= count) return known.free;
  return counts_.back().free;
}

double FreeRanks::when_free(const RankSet& set) const {
  double free = 0;
  auto segment = segments_.begin();
  for (const RankRange& range : set) {
    while (segment->ranks.end <= range.begin) ++segment;
    for (auto other = segment; other != segments_.end() && other->ranks.begin < range.end; ++other)
      free = std::max(free, other->free);
  }
  return free;
}

/// Returns the longest ranges of ranks that are free at a time.
std::vector<RankRange> FreeRanks::free_runs(double start) const {
  std::vector<RankRange> runs;
  for (const Segment& segment : segments_) {
    if (segment.free > start) continue;
    if (runs.empty() || runs.back().end != segment.ranks.begin)
      runs.push_back(segment.ranks);
    else
      runs.back().end = segment.ranks.end;
  }
  return runs;
}

/// Returns the sum, over the ranks of a window, of the times from which they are free.
double FreeRanks::busy_before(const RankRange& window) const {
  const auto ends_before = [](const Segment& segment, int rank) { return segment.ranks.end <= rank; };
  auto segment = std::lower_bound(segments_.begin(), segments_.end(), window.begin, ends_before);
  double sum = 0;
  for (; segment != segments_.end() && segment->ranks.begin < window.end; ++segment) {
    const int common =
        std::min(window.end, segment->ranks.end) - std::max(window.begin, segment->ranks.begin);
    sum += segment->free * common;
  }
  return sum;
}

RankSet FreeRanks::choose(int count, double start) const {
  RankRange best;
  double most_busy = -1;
  const auto consider = [&](const RankRange& window) {
    const double busy = busy_before(window);
    if (busy <= most_busy) return;
    most_busy = busy;
    best = window;
  };
  // The sum is linear while the ends of the window move inside of segments: the best one begins or ends where
  // a segment does.
  for (const RankRange& run : free_runs(start)) {
    if (run.size() < count) continue;
    for (const Segment& segment : segments_) {
      if (segment.ranks.begin >= run.begin && segment.ranks.begin + count <= run.end)
        consider({segment.ranks.begin, segment.ranks.begin + count});
      if (segment.ranks.end - count >= run.begin && segment.ranks.end <= run.end)
        consider({segment.ranks.end - count, segment.ranks.end});
    }
  }
  if (most_busy < 0) return choose_scattered(count, start);
  return {best};
}

/// Returns ranks that are free at a time, those that became free last.
RankSet FreeRanks::choose_scattered(int count, double start) const {
  std::vector<Segment> free;
  for (const Segment& segment : segments_)
    if (segment.free <= start) free.push_back(segment);
  std::ranges::stable_sort(free, std::ranges::greater(), &Segment::free);
  RankSet chosen;
  for (const Segment& segment : free) {
    const int taken = std::min(count, segment.ranks.size());
    if (taken == 0) break;
    chosen.push_back({segment.ranks.begin, segment.ranks.begin + taken});
    count -= taken;
  }
  std::ranges::sort(chosen, {}, &RankRange::begin);
  RankSet joined;
  for (const RankRange& range : chosen) {
    if (!joined.empty() && joined.back().end == range.begin)
      joined.back().end = range.end;
    else
      joined.push_back(range);
  }
  return joined;
}

void FreeRanks::occupy(const RankSet& set, double finish) {
  before_.swap(segments_);
  segments_.clear();
  const auto add = [this](int begin, int end, double free) {
    if (begin >= end) return;
    if (!segments_.empty() && segments_.back().free == free)
      segments_.back().ranks.end = end;
    else
      segments_.push_back({{begin, end}, free});
  };
  auto range = set.begin();
  for (const Segment& segment : before_) {
    int begin = segment.ranks.begin;
    while (begin < segment.ranks.end) {
      while (range != set.end() && range->end <= begin) ++range;
      const bool is_in = range != set.end() && range->begin <= begin;
      const int change = range == set.end() ? segment.ranks.end : is_in ? range->end : range->begin;
      const int end = std::min(segment.ranks.end, change);
      add(begin, end, is_in ? finish : segment.free);
      begin = end;
    }
  }
  count_ranks();
}

void FreeRanks::count_ranks() {
  counts_.clear();
  for (const Segment& segment : segments_) counts_.push_back({segment.free, segment.ranks.size()});
  std::ranges::sort(counts_, {}, &Count::free);
  int sum = 0;
  for (Count& known : counts_) known.ranks = sum += known.ranks;
}

}  // namespace tessera::group::detail
