// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/pipeline/algorithm/algorithm.hpp"
#include "tessera/pipeline/plan/plan_nodes.hpp"

namespace tessera {

/// Combines all boxes of an exchange that are sent to the same rank into one message, and all boxes that are
/// received from the same rank as well. If a message has several boxes, they are packed into a buffer and no
/// longer sent in place. Returns the number of bytes of all buffers for packed messages.
std::int64_t merge_messages(plan::Exchange& exchange, const Algorithm& pipeline);

}  // namespace tessera
