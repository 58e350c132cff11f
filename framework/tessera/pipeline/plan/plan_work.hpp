// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/pipeline/algorithm/algorithm.hpp"
#include "tessera/pipeline/plan/plan.hpp"

namespace tessera {

/// The messages that one rank sends or receives in an exchange. All boxes for the same partner form one
/// message.
struct Traffic {
  /// The number of messages.
  std::int64_t messages = 0;
  /// The bytes of all points in these messages.
  std::int64_t bytes = 0;
};

/// Returns the messages that a rank sends in `exchange`, which is a node of the plan of this rank.
Traffic sent(const Algorithm& pipeline, const plan::Exchange& exchange);
/// Returns the messages that a rank receives in `exchange`, which is a node of the plan of this rank.
Traffic received(const Algorithm& pipeline, const plan::Exchange& exchange);

/// Returns the size in bytes of the points of `box`, which is a box of the array with the id `array`.
std::int64_t bytes_of(const Algorithm& pipeline, ArrayId array, const Box& box);

/// The work of one rank when a step runs once.
struct StepWork {
  /// The number of points that are read, written, filled in or computed. For a Compute node, the points of
  /// all members count, each as often as it is computed.
  std::int64_t points = 0;
  /// For an Exchange node, the bytes that the rank sends. For other steps, the bytes that are read from and
  /// written to arrays in memory if each point is moved only once.
  std::int64_t bytes = 0;
};

/// Returns the work of a node of a plan of `pipeline`. The work is zero for nodes with children, and for all
/// steps except Read, Write, Exchange, FillBoundary and Compute.
StepWork work_of(const Algorithm& pipeline, const PlanNode& node);

/// Returns the bytes that a stage reads and writes for one point, each time that it reads or writes them.
/// Most of them move between a thread and the cache that is nearest to it. `stage` is the id of its first
/// output, and `points` are points of the stage, or of the input of a global reduction: the point in their
/// middle is looked at. Where an index depends on data, the footprint has all points that may be read, and
/// counts as a few of them. If `points` is empty, only what is written counts.
double cache_bytes_per_point(const Algorithm& pipeline, ArrayId stage, const Box& points);

}  // namespace tessera
