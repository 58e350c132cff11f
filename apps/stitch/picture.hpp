// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "tables.hpp"
#include "tessera/domain/box.hpp"

namespace stitch {

/// Returns all points of the picture of a grid: (x, y, colour).
tessera::Box picture_domain(const Grid& grid);

/// Returns a picture of the grid, x first, then y, then red, green and blue. Each tile is a grey square of 12
/// x 12 points, which is black if it is missing, and blue if it lies where the model puts it. Between two
/// tiles lies a bar of 6 points: green if their translation was measured, yellow if it was searched, the
/// brighter the better they correlate, and red if it is that of the model.
std::vector<std::uint8_t> picture_of(const Grid& grid, const Results& results);

}  // namespace stitch
