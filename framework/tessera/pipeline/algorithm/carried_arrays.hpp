// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/pipeline/algorithm/algorithm.hpp"

namespace tessera {

/// Returns the ids of the arrays that are declared before `loop` and change in its turns, because `loop` or a
/// loop inside it feeds other arrays to them (see LoopDeclaration::Feed). These arrays hold everything that a
/// turn takes over from the turn before. `loop` must be an element of `pipeline.loops()`.
std::vector<int> carried_arrays(const Algorithm& pipeline, const LoopDeclaration& loop);

}  // namespace tessera
