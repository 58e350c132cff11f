// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/algorithm/feed_chains.hpp"

namespace tessera {

std::vector<std::vector<LoopDeclaration::Feed>> feed_chains(const LoopDeclaration& loop) {
  std::vector<std::vector<LoopDeclaration::Feed>> chains;
  for (const auto& last : loop.feeds) {
    if (loop.feed_from(last.to) != nullptr) continue;
    auto& chain = chains.emplace_back();
    for (const auto* feed = &last; feed != nullptr; feed = loop.feed_to(feed->from)) chain.push_back(*feed);
  }
  return chains;
}

}  // namespace tessera
