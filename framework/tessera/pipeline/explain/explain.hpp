// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/pipeline/plan/plan.hpp"
#include "tessera/pipeline/plan/plan_work.hpp"

namespace tessera {

/// A plan in words: per stage the owned, required and ghost boxes, then the steps with their ids, messages
/// and bytes, and the memory. Ends with a line feed. Steps that have nothing to do on this rank, as its boxes
/// are empty, are left out if `all_steps` is false.
std::string explain(const Algorithm& pipeline, const Plan& plan, bool all_steps = true);

/// What a run costs over all ranks; a step that is repeated counts once.
struct PlanTotals {
  int rank_count = 0;
  std::int64_t messages = 0;
  std::int64_t message_bytes = 0;
  std::int64_t redundant_points = 0;
  /// Points that steps read, write, fill and compute, and bytes that they must at least move; see StepWork.
  StepWork work;
  /// Of the rank that needs most.
  std::int64_t peak_bytes = 0;
  /// By array: what of `message_bytes` is of it.
  std::vector<std::int64_t> exchanged_bytes;
  /// By array: points that are computed, and those of them that are redundant.
  std::vector<std::int64_t> computed_by_array;
  std::vector<std::int64_t> redundant_by_array;

  void add(const Algorithm& pipeline, const Plan& plan);
};

/// One line: schedule, messages, redundant points and peak memory of all ranks.
std::string summary(const Algorithm& pipeline, const Plan& any_plan, const PlanTotals& totals);

}  // namespace tessera
