// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/domain/box.hpp"

#include <fmt/format.h>

#include "tessera/domain/coordinate.hpp"

namespace tessera {

std::vector<Box> difference(const Box& a, const Box& b) {
  std::vector<Box> parts;
  const Box common = intersection(a, b);
  if (common.empty()) return a.empty() ? parts : std::vector<Box>{a};
  Box rest = a;
  for (int d = a.dimensions - 1; d >= 0; --d) {
    Box low = rest, high = rest;
    low[d].end = common[d].begin;
    high[d].begin = common[d].end;
    if (!low.empty()) parts.push_back(low);
    if (!high.empty()) parts.push_back(high);
    rest[d] = common[d];
  }
  return parts;
}

std::string to_string(const Box& box) {
  if (box.empty()) return "empty";
  std::string text;
  for (int d = 0; d < box.dimensions; ++d)
    text += fmt::format("{}[{}, {})", d == 0 ? "" : " x ", box[d].begin, box[d].end);
  return text;
}

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
