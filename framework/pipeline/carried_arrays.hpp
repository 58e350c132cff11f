// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/pipeline/pipeline.hpp"

namespace tessera {

/// The arrays from before a loop of the pipeline that its turns change, themselves or by a loop in it: all
/// that a turn gets from the one before.
std::vector<int> carried_arrays(const Pipeline& pipeline, const LoopDeclaration& loop);

/// Whether the loop stands in another one.
bool is_inner_loop(const Pipeline& pipeline, const LoopDeclaration& loop);

}  // namespace tessera
