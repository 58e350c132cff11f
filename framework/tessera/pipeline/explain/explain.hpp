// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/pipeline/plan/plan.hpp"

namespace tessera {

/// A plan in words: per stage the owned, required and ghost boxes, then the steps with their ids, messages
/// and bytes, and the memory. Ends with a line feed.
std::string explain(const Algorithm& pipeline, const Plan& plan);

/// What a run costs over all ranks; a step that is repeated counts once.
struct PlanTotals {
  int rank_count = 0;
  std::int64_t messages = 0;
  std::int64_t message_bytes = 0;
  std::int64_t redundant_points = 0;
  /// Of the rank that needs most.
  std::int64_t peak_bytes = 0;
  /// By array: what of `message_bytes` is of it.
  std::vector<std::int64_t> exchanged_bytes;

  void add(const Algorithm& pipeline, const Plan& plan);
};

/// One line: schedule, messages, redundant points and peak memory of all ranks.
std::string summary(const Algorithm& pipeline, const Plan& any_plan, const PlanTotals& totals);

}  // namespace tessera
