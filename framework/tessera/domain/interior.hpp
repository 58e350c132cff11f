// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/domain/box.hpp"

namespace tessera {

/// Searches for a large box within `box` for which `holds` is true. The search starts with the point in the
/// middle of `box`. For each side, bisection finds how far the side can be moved outwards while the box has
/// only the middle coordinate in the other dimensions. Returns an empty box if `holds` is false for the
/// middle point, or for the box with all sides moved. If `holds` is a condition on each dimension separately,
/// as with the footprints of stencils, no larger box around the middle point exists. If `holds` is true for a
/// box, it must be true for every box within that box.
template <class Holds>
Box interior_box(const Box& box, const Holds& holds) {
  Box none;
  none.dimensions = box.dimensions;
  if (box.empty()) return none;
  Box middle = box;
  for (int d = 0; d < box.dimensions; ++d) {
    middle[d].begin += box[d].size() / 2;
    middle[d].end = middle[d].begin + 1;
  }
  if (!holds(middle)) return none;
  Box inside = middle;
  for (int d = 0; d < box.dimensions; ++d) {
    // `holds` is true if the side of the box is at that of `inside`, and false if it is at `fails`.
    for (std::int64_t fails = box[d].begin - 1; inside[d].begin - fails > 1;) {
      Box trial = middle;
      trial[d].begin = fails + (inside[d].begin - fails) / 2;
      (holds(trial) ? inside[d].begin : fails) = trial[d].begin;
    }
    for (std::int64_t fails = box[d].end + 1; fails - inside[d].end > 1;) {
      Box trial = middle;
      trial[d].end = inside[d].end + (fails - inside[d].end) / 2;
      (holds(trial) ? inside[d].end : fails) = trial[d].end;
    }
  }
  return holds(inside) ? inside : none;
}

}  // namespace tessera
