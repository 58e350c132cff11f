// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/pipeline/algorithm/algorithm.hpp"
#include "tessera/pipeline/plan/plan_nodes.hpp"

namespace tessera {

/// Makes all boxes that go to one partner, or come from it, one message. Several boxes are packed into a
/// buffer and no longer sent in place. Returns the bytes of the buffers for packed messages.
std::int64_t merge_messages(plan::Exchange& exchange, const Algorithm& pipeline);

}  // namespace tessera
