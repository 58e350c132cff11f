// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/pipeline/algorithm/algorithm.hpp"

namespace tessera {

/// Whether the array is a global reduction of the innermost loop that it is in, or a value of that loop that
/// is computed from one, directly or through other values.
bool follows_from_reduction(const Algorithm& pipeline, int array);

/// Why the ranks cannot agree on the condition of a loop's turn while they compute the next one; an empty
/// string when they can. No point of the next turn may depend on what the ranks agree on. After the loop only
/// its iterates and the values behind its condition may be used, because all other arrays are then those of
/// one turn more. `loop` must be one of the pipeline's.
std::string reason_against_overlap(const Algorithm& pipeline, const LoopDeclaration& loop);

}  // namespace tessera
