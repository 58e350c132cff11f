// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/domain/box.hpp"

namespace tessera {

/// Returns a largest box within `box` for which `holds(box)` is true; it is empty when none was found.
/// `holds` must be true for every box that lies in a box for which it is true. The sides are found one after
/// the other, by bisection along a line through the middle of `box`. If each coordinate can be judged by
/// itself, as for the footprints of stencils, no larger box exists.
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
    // `holds` is true up to the side of `inside`, and false from `fails` on.
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
