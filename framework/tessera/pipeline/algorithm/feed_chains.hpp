// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/pipeline/algorithm/declarations.hpp"

namespace tessera {

/// Returns the feeds of `loop` as chains. The first feed of a chain goes to an array that is not fed on, and
/// each further feed goes to the array that the feed before it takes. The last feed of a chain takes an array
/// to which nothing is fed, which is the one that the loop computes. If buffers are swapped in the order of
/// these feeds after a turn, each array gets the values that are fed to it (see plan::Swap).
std::vector<std::vector<LoopDeclaration::Feed>> feed_chains(const LoopDeclaration& loop);

}  // namespace tessera
