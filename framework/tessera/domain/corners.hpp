// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/domain/box.hpp"

namespace tessera {

/// An empty box.
Box no_points(int dimensions);

/// The first or the last point of `box`, as a box.
Box corner(const Box& box, bool last);

/// The point in the middle of `box`, rounded down or up, as a box.
Box centre(const Box& box, bool up);

}  // namespace tessera
