// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/domain/box.hpp"

namespace tessera {

/// Returns an empty box of this many dimensions.
Box no_points(int dimensions);

/// Returns the first or the last point of `box`, as a box of one point.
Box corner(const Box& box, bool last);

/// Returns the point in the middle of `box`, as a box of one point. Where there are two middle points in a
/// dimension, it is the upper one if `up` is true.
Box centre(const Box& box, bool up);

}  // namespace tessera
