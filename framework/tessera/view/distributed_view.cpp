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

}  // namespace tessera
