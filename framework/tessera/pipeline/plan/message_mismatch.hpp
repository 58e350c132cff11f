// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "tessera/pipeline/plan/plan.hpp"

namespace tessera {

/// Two ranks whose plans do not agree on what one sends to the other.
struct MessageMismatch {
  /// The id of the Exchange node.
  int node = 0;
  int from = 0;
  int to = 0;
};

/// The first mismatch of the plans of all ranks, which have the same nodes: every message that a rank sends
/// must be expected by the rank that it goes to, in the same order, and the other way round; messages that
/// are sent in place need rows of the same distance on both sides.
std::optional<MessageMismatch> find_message_mismatch(const Algorithm& pipeline,
                                                     const std::vector<Plan>& plans);

}  // namespace tessera
