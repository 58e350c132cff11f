// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

namespace tessera::group {

/// The ranks from `begin` up to, but not including, `end`.
struct RankRange {
  /// The first rank.
  int begin = 0;
  /// The rank after the last one.
  int end = 0;

  /// Returns the number of ranks.
  int size() const { return end - begin; }
  friend bool operator==(const RankRange&, const RankRange&) = default;
};

/// Returns a list of ranks as ranges, in the order of the list. A range is as long as each next rank is
/// greater by one.
std::vector<RankRange> ranges_of(std::span<const int> ranks);

/// Returns the ranks of some ranges in their order.
std::vector<int> ranks_of(std::span<const RankRange> ranges);

/// Returns a list of ranks as a text such as "0-3, 8".
std::string ranges_text(std::span<const int> ranks);

}  // namespace tessera::group
