// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/pipeline/algorithm/algorithm.hpp"
#include "tessera/pipeline/algorithm/declarations.hpp"

namespace tessera {

/// Returns the feeds of `loop` as chains. The first feed of a chain goes to an array that is not fed on, and
/// each further feed goes to the array that the feed before it takes. The last feed of a chain takes an array
/// to which nothing is fed, which is the one that the loop computes. If buffers are swapped in the order of
/// these feeds after a turn, each array gets the values that are fed to it (see plan::Swap).
std::vector<std::vector<LoopDeclaration::Feed>> feed_chains(const LoopDeclaration& loop);

/// Returns the ids of the arrays that are declared before `loop` and change in its turns, because `loop` or a
/// loop inside it feeds other arrays to them (see LoopDeclaration::Feed). These arrays hold everything that a
/// turn takes over from the turn before. `loop` must be an element of `pipeline.loops()`.
std::vector<int> carried_arrays(const Algorithm& pipeline, const LoopDeclaration& loop);

/// Returns for each array, by its id, whether it follows from a global reduction of the innermost loop that
/// contains it. This is true of such a reduction itself, and of a value that is computed from one, directly
/// or through other values of the loop.
std::vector<bool> following_from_reductions(const Algorithm& pipeline);

/// Returns why the test whether `loop` ends after a turn cannot overlap the computation of the next turn, or
/// an empty string if it can. No point of the next turn may depend on the reductions of this turn, because
/// their results are not known yet. When the ranks learn that the loop has ended, they have already computed
/// one more turn, but have not fed its arrays. Stages after the loop may therefore read only the arrays to
/// which the loop feeds, and the values that follow from its reductions. All other arrays of the loop hold
/// the points of the additional turn. `loop` must be an element of `pipeline.loops()`.
std::string reason_against_overlap(const Algorithm& pipeline, const LoopDeclaration& loop);

}  // namespace tessera
