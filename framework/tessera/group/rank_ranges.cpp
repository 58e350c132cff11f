// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/rank_ranges.hpp"

#include <fmt/format.h>

namespace tessera::group {

std::vector<RankRange> ranges_of(std::span<const int> ranks) {
  std::vector<RankRange> ranges;
  for (const int rank : ranks) {
    if (ranges.empty() || ranges.back().end != rank) ranges.push_back({rank, rank});
    ++ranges.back().end;
  }
  return ranges;
}

std::vector<int> ranks_of(std::span<const RankRange> ranges) {
  std::vector<int> ranks;
  for (const RankRange& range : ranges)
    for (int rank = range.begin; rank < range.end; ++rank) ranks.push_back(rank);
  return ranks;
}

std::string ranges_text(std::span<const int> ranks) {
  std::string text;
  for (const RankRange& range : ranges_of(ranks)) {
    text += text.empty() ? "" : ", ";
    text +=
        range.size() == 1 ? fmt::format("{}", range.begin) : fmt::format("{}-{}", range.begin, range.end - 1);
  }
  return text;
}

}  // namespace tessera::group
