// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/carried_arrays.hpp"

#include <algorithm>

namespace tessera {
namespace {

bool has_inside(const LoopDeclaration& outer, const LoopDeclaration& inner) {
  return outer.first <= inner.first && inner.last <= outer.last;
}

}  // namespace

std::vector<int> carried_arrays(const Pipeline& pipeline, const LoopDeclaration& loop) {
  std::vector<int> arrays;
  for (const LoopDeclaration& inner : pipeline.loops()) {
    if (!has_inside(loop, inner)) continue;
    for (const auto& feed : inner.feeds)
      if (feed.to < loop.first && std::ranges::find(arrays, feed.to) == arrays.end())
        arrays.push_back(feed.to);
  }
  return arrays;
}

bool is_inner_loop(const Pipeline& pipeline, const LoopDeclaration& loop) {
  // Loops stand in the order in which they begin, outer ones first.
  return std::ranges::any_of(pipeline.loops(), [&loop](const LoopDeclaration& other) {
    return &other < &loop && has_inside(other, loop);
  });
}

}  // namespace tessera
