// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/pipeline/algorithm/algorithm.hpp"

namespace tessera {

/// The ids of the arrays from before a loop that its turns change, by its own feeds or by those of loops in
/// it. They hold all that a turn takes over from the turn before. `loop` must be one of the pipeline's.
std::vector<int> carried_arrays(const Algorithm& pipeline, const LoopDeclaration& loop);

}  // namespace tessera
