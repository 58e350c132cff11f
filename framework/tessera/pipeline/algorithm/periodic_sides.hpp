// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/pipeline/algorithm/declarations.hpp"

namespace tessera {

/// Returns why a rank cannot compute points of the bounded stage `stage` beyond its periodic sides, or an
/// empty string if it can. The points repeat those at the opposite sides, and so must the points of the
/// inputs from which they are computed. Each input must therefore have the same period as the stage, unless
/// every rank has all of its points. All bounded outputs of the stage must have the same periods, and no
/// lines that are computed as a whole may lie along a periodic dimension. `stage` is the id of the first
/// output of the stage. Stages without periodic sides have no such reason.
std::string reason_against_ghosts(const std::vector<ArrayDeclaration>& arrays, int stage);

/// Makes the kernel of the bounded stage `stage` one that also computes points beyond its periodic sides (see
/// PeriodicStage). `stage` is the id of the first output of the stage. A stage without periodic sides stays
/// as it is.
void compute_beyond_periodic_sides(std::vector<ArrayDeclaration>& arrays, int stage);

}  // namespace tessera
