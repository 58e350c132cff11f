// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/pipeline/algorithm/algorithm.hpp"

namespace tessera {

/// The arrays from before a loop of the pipeline that its turns change, themselves or by a loop in it: all
/// that a turn gets from the one before.
std::vector<int> carried_arrays(const Algorithm& pipeline, const LoopDeclaration& loop);

}  // namespace tessera
