// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/run/detail/turn_parts.hpp"

#include "tessera/pipeline/plan/visit_step.hpp"

namespace tessera {

TurnPart part_of(const Algorithm& pipeline, const std::vector<bool>& follows, const PlanNode& step) {
  return visit_step(
      step, [](const plan::Swap&) { return TurnPart::swaps; },
      [](const plan::Reduce&) { return TurnPart::reductions; },
      [&](const plan::Compute& compute) {
        return pipeline[compute.stage].is_value && follows[static_cast<std::size_t>(compute.stage)]
                   ? TurnPart::values
                   : TurnPart::points;
      },
      [](const plan::AnyOf<plan::Sequence, plan::Repeat, plan::Bands, plan::Items, plan::Allocate, plan::Free,
                           plan::Read, plan::Write, plan::Exchange, plan::FinishExchange,
                           plan::FillBoundary> auto&) { return TurnPart::points; });
}

}  // namespace tessera
