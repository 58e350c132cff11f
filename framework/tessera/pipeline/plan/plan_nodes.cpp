// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/plan/plan_nodes.hpp"

#include <utility>

#include "tessera/pipeline/plan/visit_step.hpp"

namespace tessera {
namespace {

void number_nodes(PlanNode& node, int& next_id) {
  node.id = next_id++;
  auto* children = children_of(node);
  if (children == nullptr) return;
  int exchange = 0;
  for (PlanNode& child : *children) {
    number_nodes(child, next_id);
    if (std::holds_alternative<plan::Exchange>(child.step)) exchange = child.id;
    if (auto* finish = std::get_if<plan::FinishExchange>(&child.step)) finish->exchange = exchange;
  }
}

}  // namespace

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

void number_nodes(PlanNode& root) {
  int next_id = 0;
  number_nodes(root, next_id);
}

bool is_step(const PlanNode& node) {
  return visit_step(
      node,
      [](const plan::AnyOf<plan::Sequence, plan::Repeat, plan::Bands, plan::Items, plan::Allocate,
                           plan::Free> auto&) { return false; },
      [](const plan::AnyOf<plan::Read, plan::Write, plan::Exchange, plan::FinishExchange, plan::FillBoundary,
                           plan::Compute, plan::Reduce, plan::Swap> auto&) { return true; });
}

}  // namespace tessera
