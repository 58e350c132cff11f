// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "tessera/pipeline/plan/plan.hpp"

namespace tessera {

/// Two ranks whose plans do not agree on the messages that one sends to the other in an exchange.
struct MessageMismatch {
  /// The id of the Exchange node.
  int node = 0;
  /// The rank that sends.
  int from = 0;
  /// The rank that receives.
  int to = 0;
};

/// Returns the first mismatch between the plans of all ranks, which must have the same nodes, or nothing if
/// they agree. They agree if every rank expects exactly the messages that the others send to it, in the order
/// in which they are sent, and if rows of messages sent in place are equally far apart on both sides.
std::optional<MessageMismatch> find_message_mismatch(const Algorithm& pipeline,
                                                     const std::vector<Plan>& plans);

}  // namespace tessera
