// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/view/halo.hpp"

namespace tessera {

Need Halo::need(const BlockDistribution& blocks) const {
  return [halo = *this, blocks](int first, int last) {
    Box box = blocks.owned_hull(first, last);
    if (box.empty()) return box;
    for (int d = 0; d < box.dimensions; ++d) {
      const auto i = static_cast<std::size_t>(d);
      const Range domain = blocks.domain()[d];
      box[d] = {box[d].begin - halo.below[i], box[d].end + halo.above[i]};
      if (halo.boundary.side[i][0] == Boundary::none && box[d].begin < domain.begin)
        box[d].begin = domain.begin;
      if (halo.boundary.side[i][1] == Boundary::none && box[d].end > domain.end) box[d].end = domain.end;
    }
    return box;
  };
}

}  // namespace tessera
