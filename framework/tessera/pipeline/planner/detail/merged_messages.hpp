// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/pipeline/algorithm/algorithm.hpp"
#include "tessera/pipeline/plan/plan_nodes.hpp"

namespace tessera {

/// Packs what goes to, or comes from, one partner into one message: several boxes for it are not sent in
/// place any more. Returns the bytes of the buffers through which packed messages travel.
std::int64_t merge_messages(plan::Exchange& exchange, const Algorithm& pipeline);

}  // namespace tessera
