// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/plan/step_names.hpp"

#include <fmt/format.h>

#include "tessera/pipeline/plan/visit_step.hpp"

namespace tessera {

std::string names_of(const Algorithm& pipeline, const plan::Exchange& exchange) {
  std::string names;
  for (const plan::ArrayMessages& array : exchange.arrays)
    names.append(names.empty() ? "" : ", ").append(pipeline[array.array].name);
  return names;
}

std::string step_kind(const PlanNode& node) {
  return std::visit([](const auto& step) { return std::string(step.kind); }, node.step);
}

std::string step_label(const Algorithm& pipeline, const PlanNode& node) {
  const std::string kind = step_kind(node);
  return visit_step(
      node, [](const plan::Sequence& step) { return step.name; },
      [&](const plan::Repeat& step) { return pipeline.loops()[static_cast<std::size_t>(step.loop)].name; },
      [&](const plan::AnyOf<plan::Bands, plan::Items> auto&) { return kind; },
      [&](const plan::AnyOf<plan::Allocate, plan::Free> auto& step) {
        return fmt::format("{} buffer {}", kind, step.buffer);
      },
      [&](const plan::AnyOf<plan::Read, plan::Write, plan::FillBoundary> auto& step) {
        return fmt::format("{} {}", kind, pipeline[step.array].name);
      },
      [&](const plan::Exchange& step) { return fmt::format("{} {}", kind, names_of(pipeline, step)); },
      [](const plan::FinishExchange& step) { return fmt::format("wait for exchange {}", step.exchange); },
      [&](const plan::AnyOf<plan::Compute, plan::Reduce> auto& step) {
        return fmt::format("{} {}", kind, pipeline[step.stage].name);
      },
      [&](const plan::Swap& step) {
        return fmt::format("swap {} and {}", pipeline[step.first].name, pipeline[step.second].name);
      });
}

}  // namespace tessera
