// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/algorithm/carried_arrays.hpp"

#include <algorithm>

namespace tessera {

std::vector<int> carried_arrays(const Algorithm& pipeline, const LoopDeclaration& loop) {
  std::vector<int> arrays;
  for (const LoopDeclaration& inner : pipeline.loops()) {
    if (!loop.contains(inner)) continue;
    for (const auto& feed : inner.feeds)
      if (feed.to < loop.first && std::ranges::find(arrays, feed.to) == arrays.end())
        arrays.push_back(feed.to);
  }
  return arrays;
}

}  // namespace tessera
