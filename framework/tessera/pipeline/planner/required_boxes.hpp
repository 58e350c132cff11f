// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/pipeline/algorithm/algorithm.hpp"

namespace tessera {

/// Writes to `needs` the box of each input that the stage needs to compute `box`, in the order of its inputs.
/// The boxes are empty when `box` is. Throws InternalError, which names the stage, when a box has no bounds.
void required_boxes(const Algorithm& pipeline, int stage, const Box& box, Box* needs);

/// Returns the box of each input that the stage needs to compute `box`, in the order of its inputs. Throws as
/// the function that writes them does.
std::vector<Box> required_boxes(const Algorithm& pipeline, int stage, const Box& box);

}  // namespace tessera
