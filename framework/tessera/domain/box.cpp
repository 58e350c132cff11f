// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/domain/box.hpp"

#include <fmt/format.h>

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

}  // namespace tessera
