// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/pipeline/plan/plan.hpp"

namespace tessera {

/// The messages of one rank; all boxes that go to one partner are one message.
struct Traffic {
  /// The number of messages.
  std::int64_t messages = 0;
  /// The bytes of the points in them.
  std::int64_t bytes = 0;
};

/// Returns the messages that the rank sends in an exchange.
Traffic sent(const Algorithm& pipeline, const plan::Exchange& exchange);
/// Returns the messages that the rank receives in an exchange.
Traffic received(const Algorithm& pipeline, const plan::Exchange& exchange);

/// Returns the bytes of the points of a box of an array.
std::int64_t bytes_of(const Algorithm& pipeline, int array, const Box& box);

/// The work of a rank in one call of a step.
struct StepWork {
  /// The number of points that are read, written, filled or computed. Those of a compute node include all
  /// members, as often as they are computed.
  std::int64_t points = 0;
  /// The least bytes that must be read from arrays in memory and written to them, each point once; for an
  /// exchange the bytes that are sent.
  std::int64_t bytes = 0;
};

/// Returns the work of a node of a plan of this pipeline. It is zero for nodes with children, and for steps
/// other than reads, writes, exchanges, fills and computations.
StepWork work_of(const Algorithm& pipeline, const PlanNode& node);

}  // namespace tessera
