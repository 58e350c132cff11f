// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/pipeline/algorithm/algorithm.hpp"

namespace tessera {

/// Whether the array is a reduction of the innermost loop that it is in, or a value that follows from one.
bool follows_from_reduction(const Algorithm& pipeline, int array);

/// Why the ranks cannot agree on the condition of a loop's turn while they compute the next one; empty when
/// they can. Nothing that a turn computes may follow from what the ranks agree on, and nothing but iterates
/// and values of the condition may be asked for after the loop: of all else there is that of a turn more.
std::string reason_against_overlap(const Algorithm& pipeline, const LoopDeclaration& loop);

}  // namespace tessera
