// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/run/turn_parts.hpp"

#include "tessera/pipeline/algorithm/overlapped_test.hpp"

namespace tessera {

TurnPart part_of(const Algorithm& pipeline, const PlanNode& step) {
  if (std::holds_alternative<plan::Swap>(step.step)) return TurnPart::swaps;
  if (std::holds_alternative<plan::Reduce>(step.step)) return TurnPart::reductions;
  const auto* compute = std::get_if<plan::Compute>(&step.step);
  const bool is_value = compute != nullptr && pipeline[compute->stage].is_value;
  return is_value && follows_from_reduction(pipeline, compute->stage) ? TurnPart::values : TurnPart::points;
}

}  // namespace tessera
