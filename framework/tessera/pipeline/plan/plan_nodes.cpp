// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/plan/plan_nodes.hpp"

#include <fmt/format.h>

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
      [&](const plan::Bands&) { return kind; },
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
