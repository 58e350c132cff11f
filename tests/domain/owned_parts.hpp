// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/domain/block_distribution.hpp"

namespace tessera::test {

/// The parts of a box that ranks own, one rank after the other.
inline std::vector<OwnedPart> parts_by_brute_force(const BlockDistribution& blocks, const Box& box) {
  std::vector<OwnedPart> parts;
  for (int rank = 0; rank < blocks.first_rank() + blocks.rank_count(); ++rank)
    if (const Box part = intersection(box, blocks.owned(rank)); !part.empty()) parts.push_back({rank, part});
  return parts;
}

}  // namespace tessera::test
