// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/pipeline/algorithm/algorithm.hpp"

namespace tessera {

/// For each input of `stage`, writes to `needs` the box that `stage` reads to compute the points of `box`.
/// The boxes are in the order of the inputs of the stage. They are empty if `box` is empty. Throws
/// InternalError with the name of the stage if inference finds no bounds for one of these boxes.
void required_boxes(const Algorithm& pipeline, int stage, const Box& box, Box* needs);

/// Returns, for each input of `stage`, the box that `stage` reads to compute the points of `box`. The boxes
/// are in the order of the inputs of the stage. They are empty if `box` is empty. Throws InternalError with
/// the name of the stage if inference finds no bounds for one of these boxes.
std::vector<Box> required_boxes(const Algorithm& pipeline, int stage, const Box& box);

}  // namespace tessera
