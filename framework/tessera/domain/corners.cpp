// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/domain/corners.hpp"

#include "tessera/domain/coordinate.hpp"

namespace tessera {

Box no_points(int dimensions) {
  Box box;
  box.dimensions = dimensions;
  return box;
}

Box corner(const Box& box, bool last) {
  Box point = box;
  for (int d = 0; d < box.dimensions; ++d)
    point[d] = last ? Range{box[d].end - 1, box[d].end} : Range{box[d].begin, box[d].begin + 1};
  return point;
}

Box centre(const Box& box, bool up) {
  Box point = box;
  for (int d = 0; d < box.dimensions; ++d) {
    const std::int64_t middle = floor_divide<std::int64_t>(box[d].begin + box[d].end - 1 + (up ? 1 : 0), 2);
    point[d] = {middle, middle + 1};
  }
  return point;
}

}  // namespace tessera
