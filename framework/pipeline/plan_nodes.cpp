// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/plan_nodes.hpp"

#include <utility>

namespace tessera {

const std::vector<PlanNode>* children_of(const PlanNode& node) {
  return std::visit(
      [](const auto& step) -> const std::vector<PlanNode>* {
        if constexpr (requires { step.children; })
          return &step.children;
        else
          return nullptr;
      },
      node.step);
}

std::vector<PlanNode>* children_of(PlanNode& node) {
  return const_cast<std::vector<PlanNode>*>(children_of(std::as_const(node)));
}

bool is_step(const PlanNode& node) {
  return children_of(node) == nullptr && !std::holds_alternative<plan::Allocate>(node.step) &&
         !std::holds_alternative<plan::Free>(node.step);
}

}  // namespace tessera
