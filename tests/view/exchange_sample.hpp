// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "domain/random.hpp"
#include "tessera/view/exchange_lists.hpp"

namespace tessera::test {

/// A random distribution and what every rank needs of it: the same on all ranks of a test.
struct ExchangeSample {
  BlockDistribution blocks;
  /// How far each need reaches past the block it belongs to, by dimension: low and high side.
  std::int64_t reach[max_dimensions][2] = {};
  /// Some ranks need nothing at all.
  bool odd_ranks_idle = false;

  /// Asymmetric, up to three blocks wide, also beyond the domain.
  Box need(int first, int last) const {
    Box box = blocks.owned_hull(first, last);
    if (box.empty() || (odd_ranks_idle && last - first == 1 && first % 2 == 1)) return {};
    for (int d = 0; d < box.dimensions; ++d) box[d] = {box[d].begin + reach[d][0], box[d].end + reach[d][1]};
    return box;
  }
  std::string text() const {
    return to_string(blocks.domain()) + " over " + blocks.grid().text() + ", rank 0 needs " +
           to_string(need(0, 1));
  }
};

/// Grids of exactly `ranks` ranks, whose factors are shared out at random.
inline ProcessorGrid random_grid(Random& random, int dimensions, int ranks) {
  ProcessorGrid grid;
  grid.dimensions = random.small(1, dimensions);
  for (int factor = 2; ranks > 1;)
    if (ranks % factor == 0) {
      grid.size[random.small(0, grid.dimensions - 1)] *= factor;
      ranks /= factor;
    } else {
      ++factor;
    }
  return grid;
}

inline ExchangeSample random_exchange(Random& random, int ranks) {
  ExchangeSample sample;
  const int dimensions = random.small(1, 3);
  const Box nominal = random.box(dimensions, -6, 6, dimensions == 1 ? 60 : dimensions == 2 ? 14 : 7);
  Box domain = nominal;
  for (int d = 0; d < dimensions; ++d)
    domain[d] = {nominal[d].begin - random.small(0, 2), nominal[d].end + random.small(0, 2)};
  sample.blocks = BlockDistribution(domain, nominal, random_grid(random, dimensions, ranks));
  sample.odd_ranks_idle = random.chance(20);
  for (int d = 0; d < dimensions; ++d) {
    const std::int64_t slice =
        (nominal[d].size() + sample.blocks.grid().size[d] - 1) / sample.blocks.grid().size[d];
    const std::int64_t most = random.chance(20) ? 3 * slice : 2;
    // A need may also begin right of its block: a shifted stencil.
    sample.reach[d][0] = random.between(-most, 1);
    sample.reach[d][1] = random.between(sample.reach[d][0] > 0 ? 1 : 0, most);
  }
  return sample;
}

}  // namespace tessera::test
