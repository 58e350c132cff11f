// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/plan/step_names.hpp"

#include <fmt/format.h>

#include <array>

namespace tessera {

std::string names_of(const Algorithm& pipeline, const plan::Exchange& exchange) {
  std::string names;
  for (const plan::ArrayMessages& array : exchange.arrays)
    names.append(names.empty() ? "" : ", ").append(pipeline[array.array].name);
  return names;
}

std::string step_kind(const PlanNode& node) {
  constexpr std::array kinds = {"sequence", "repeat",   "bands", "items",    "allocate", "free",   "read",
                                "write",    "exchange", "wait",  "boundary", "compute",  "reduce", "swap"};
  static_assert(kinds.size() == std::variant_size_v<decltype(node.step)>);
  return kinds[node.step.index()];
}

std::string step_label(const Algorithm& pipeline, const PlanNode& node) {
  const std::string kind = step_kind(node);
  return std::visit(
      [&](const auto& step) -> std::string {
        using Step = std::decay_t<decltype(step)>;
        if constexpr (std::is_same_v<Step, plan::Sequence>)
          return step.name;
        else if constexpr (std::is_same_v<Step, plan::Repeat>)
          return step.loop < 0 ? kind : pipeline.loops()[static_cast<std::size_t>(step.loop)].name;
        else if constexpr (std::is_same_v<Step, plan::Exchange>)
          return fmt::format("{} {}", kind, names_of(pipeline, step));
        else if constexpr (std::is_same_v<Step, plan::FinishExchange>)
          return fmt::format("wait for exchange {}", step.exchange);
        else if constexpr (std::is_same_v<Step, plan::Swap>)
          return fmt::format("swap {} and {}", pipeline[step.first].name, pipeline[step.second].name);
        else if constexpr (requires { step.stage; })
          return fmt::format("{} {}", kind, pipeline[step.stage].name);
        else if constexpr (requires { step.array; })
          return fmt::format("{} {}", kind, pipeline[step.array].name);
        else if constexpr (requires { step.buffer; })
          return fmt::format("{} buffer {}", kind, step.buffer);
        else
          return kind;
      },
      node.step);
}

}  // namespace tessera
