// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/pipeline/plan/plan.hpp"
#include "tessera/pipeline/plan/plan_work.hpp"

namespace tessera {

/// Returns a plan in words: the owned, required and ghost boxes of each stage, then the steps with their ids,
/// messages and bytes, then the memory. The text ends with a line feed. If `all_steps` is false, it leaves
/// out steps that have nothing to do on this rank because its boxes are empty.
std::string explain(const Algorithm& pipeline, const Plan& plan, bool all_steps = true);

/// The costs of the plans of several ranks together. A step that is repeated counts once.
struct PlanTotals {
  /// The number of plans that were added.
  int rank_count = 0;
  /// The number of messages that these ranks send.
  std::int64_t messages = 0;
  /// The bytes of the points in these messages.
  std::int64_t message_bytes = 0;
  /// The number of points that are computed beyond once each on the rank that owns it, over all arrays.
  std::int64_t redundant_points = 0;
  /// The points that steps read, write, fill and compute, and the least bytes that they move; see StepWork.
  StepWork work;
  /// The bytes that the rank with the largest need takes; see peak_bytes_with_next_band.
  std::int64_t peak_bytes = 0;
  /// The part of `message_bytes` that belongs to each array, by the array's id.
  std::vector<std::int64_t> exchanged_bytes;
  /// The number of points that are computed of each array, redundant ones included, by the array's id.
  std::vector<std::int64_t> computed_by_array;
  /// The number of these points that are redundant, by the array's id.
  std::vector<std::int64_t> redundant_by_array;

  /// Adds the costs of the plan of one rank. All plans must be of the same pipeline.
  void add(const Algorithm& pipeline, const Plan& plan);
};

/// Returns one line, without a line feed: the grid of each input and the placement of each stage as they are
/// in `any_plan`, the messages and redundant points of all ranks, and the peak memory per rank.
std::string summary(const Algorithm& pipeline, const Plan& any_plan, const PlanTotals& totals);

}  // namespace tessera
