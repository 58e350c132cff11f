// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "tessera/pipeline/plan/plan.hpp"

namespace tessera {

/// Returns all ways in which the arrays of an exchange may lie in buffers when the exchange is executed.
/// There may be several ways, because loops swap the buffers of arrays. The result holds for all turns of all
/// loops. It also holds for repeated runs of the plan, where each run begins with the buffers as the previous
/// run has left them. An entry of the result has, for each array of the exchange, the number of the buffer in
/// which the array is computed. The order of the entries is the same on all ranks. `exchange` must be an
/// Exchange node of `plan`.
std::vector<std::vector<BufferId>> arrangements(const Plan& plan, const PlanNode& exchange);

/// A disagreement between the plans of two ranks about the messages that one of them sends to the other in an
/// exchange.
struct MessageMismatch {
  /// The id of the plan::Exchange node.
  int node = 0;
  /// The rank that sends.
  int from = 0;
  /// The rank that receives.
  int to = 0;
};

/// Returns the first mismatch between the plans of all ranks, or nothing if the plans agree. `plans` is
/// ordered by rank, and all plans must have the same nodes.
///
/// The plans agree if every rank expects exactly the messages that the other ranks send to it, in the order
/// in which they are sent. If a message is sent in place (see Message::in_place), both ranks must also store
/// the rows and planes of its box at the same distances.
std::optional<MessageMismatch> find_message_mismatch(const Algorithm& pipeline,
                                                     const std::vector<Plan>& plans);

}  // namespace tessera
