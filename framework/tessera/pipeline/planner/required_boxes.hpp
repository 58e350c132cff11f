// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/pipeline/algorithm/algorithm.hpp"

namespace tessera {

/// Writes the boxes of its inputs that a stage needs to compute `box`; they are empty when `box` is. Throws
/// InternalError, naming the stage, when they have no bounds.
void required_boxes(const Algorithm& pipeline, int stage, const Box& box, Box* needs);

/// Returns those boxes, one for each input of the stage.
std::vector<Box> required_boxes(const Algorithm& pipeline, int stage, const Box& box);

}  // namespace tessera
