// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/algorithm/declarations.hpp"

#include <algorithm>

namespace tessera {
namespace {

const LoopDeclaration::Feed* feed_with(const LoopDeclaration& loop, int LoopDeclaration::Feed::*end,
                                       int array) {
  const auto found = std::ranges::find(loop.feeds, array, end);
  return found == loop.feeds.end() ? nullptr : &*found;
}

}  // namespace

const LoopDeclaration::Feed* LoopDeclaration::feed_to(int array) const {
  return feed_with(*this, &Feed::to, array);
}

const LoopDeclaration::Feed* LoopDeclaration::feed_from(int array) const {
  return feed_with(*this, &Feed::from, array);
}

bool ArrayDeclaration::has_periodic_side() const {
  for (int d = 0; d < dimensions; ++d)
    if (boundary.is_periodic(d)) return true;
  return false;
}

Box ArrayDeclaration::with_whole_lines(Box box) const {
  // The box of a reduction holds points of its input, to which `whole` does not apply.
  if (reduction != nullptr) return box;
  for (int d = 0; d < box.dimensions; ++d)
    if (const Range lines = whole[static_cast<std::size_t>(d)]; !lines.empty()) box[d] = lines;
  return box;
}

}  // namespace tessera
