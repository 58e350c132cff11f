// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/pipeline/algorithm/algorithm.hpp"

namespace tessera {

/// Whether the array follows from a global reduction of the innermost loop that contains it. This is true of
/// such a reduction itself, and of a value that is computed from one, directly or through other values of the
/// loop.
bool follows_from_reduction(const Algorithm& pipeline, int array);

/// Returns the reason why the ranks cannot agree on the condition of a turn of `loop` while they compute the
/// next turn; an empty string if they can. No point of the next turn may depend on the reductions of this
/// turn, because their results are not known yet. After the loop, stages may read only the arrays to which
/// the loop feeds and the values that follow from its reductions, because all other arrays of the loop then
/// have the values of one more turn. `loop` must be an element of `pipeline.loops()`.
std::string reason_against_overlap(const Algorithm& pipeline, const LoopDeclaration& loop);

}  // namespace tessera
