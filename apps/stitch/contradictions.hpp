// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "stage_model.hpp"

namespace stitch {

/// Returns for each pair whether others confirm it: it is in a circle of four pairs (see contradicted) that
/// closes exactly, and in none that does not close.
std::vector<bool> confirmed(const Grid& grid, const std::vector<Pair>& pairs,
                            const std::vector<Placement>& placements);

/// Returns for each pair whether others contradict it. Four tiles around a corner have four pairs: both ways
/// from the first tile to the last one lead to the same place, but for a pixel that rounding may add, if all
/// four translations are right. A pair is contradicted if it is in no such circle that closes, and if in one
/// that does not close it is the worst: each of the others is in one that closes, or in fewer that do not.
/// Circles with a pair of the model do not count.
std::vector<bool> contradicted(const Grid& grid, const std::vector<Pair>& pairs,
                               const std::vector<Placement>& placements);

}  // namespace stitch
