// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/view/distributed_view.hpp"

#include <fmt/format.h>

#include <limits>

#include "tessera/domain/error.hpp"

namespace tessera {

void check_coordinates(const std::string& name, const Box& box) {
  using Limits = std::numeric_limits<int>;
  for (int d = 0; d < box.dimensions && !box.empty(); ++d)
    if (box[d].begin < Limits::lowest() || box[d].end > Limits::max())
      throw InputError(
          fmt::format("the view '{}' is to hold {}: coordinates have 32 bits, give it more "
                      "dimensions",
                      name, to_string(box)));
}

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
