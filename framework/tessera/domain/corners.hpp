// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/domain/box.hpp"

namespace tessera {

/// Returns an empty box with `dimensions` dimensions.
Box no_points(int dimensions);

/// Returns the last point of `box` if `last` is true, and otherwise the first point, as a box of one point.
/// The first point has the least coordinate of `box` in every dimension, and the last point the greatest.
Box corner(const Box& box, bool last);

/// Returns the point in the middle of `box`, as a box of one point. A dimension with an even number of points
/// has two middle coordinates. The result has the upper one if `up` is true, and otherwise the lower one.
Box centre(const Box& box, bool up);

}  // namespace tessera
