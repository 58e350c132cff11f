// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/pipeline/plan.hpp"

namespace tessera {

/// A plan in words: per stage the owned, required and ghost boxes, then the steps with their ids, messages
/// and bytes, and the memory. Ends with a line feed.
std::string explain(const Pipeline& pipeline, const Plan& plan);

/// The kind of a step in one word: "sequence", "repeat", "bands", "items", "allocate", "free", "read",
/// "write", "exchange", "wait", "boundary", "compute", "reduce" or "swap".
std::string step_kind(const PlanNode& node);

/// A step in a few words, such as "compute bv".
std::string step_label(const Pipeline& pipeline, const PlanNode& node);

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

  void add(const Pipeline& pipeline, const Plan& plan);
};

/// One line: schedule, messages, redundant points and peak memory of all ranks.
std::string summary(const Pipeline& pipeline, const Plan& any_plan, const PlanTotals& totals);

/// "12.5 MiB".
std::string human_bytes(std::int64_t bytes);

}  // namespace tessera
