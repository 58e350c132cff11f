// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/plan/plan.hpp"

namespace tessera {

Plan plan_of_stream(Plan plan) {
  auto& phases = std::get<plan::Sequence>(plan.root.step).children;
  plan::Items items{std::move(phases)};
  phases.clear();
  phases.push_back({0, std::move(items)});
  number_nodes(plan.root);
  return plan;
}

const Band* band_of(const Plan& plan) {
  const auto* root = std::get_if<plan::Sequence>(&plan.root.step);
  if (root == nullptr || root->children.empty()) return nullptr;
  const auto* bands = std::get_if<plan::Bands>(&root->children.front().step);
  return bands == nullptr ? nullptr : &bands->band;
}

std::int64_t peak_bytes_with_next_band(const Plan& plan) {
  return band_of(plan) == nullptr ? plan.peak_bytes() : 2 * plan.peak_bytes();
}

const plan::Sequence& phase(const Plan& plan, std::string_view name) {
  const plan::Sequence* found = nullptr;
  walk(plan.root, [&](const PlanNode& node) {
    const auto* sequence = std::get_if<plan::Sequence>(&node.step);
    if (found == nullptr && sequence != nullptr && sequence->name == name) found = sequence;
  });
  if (found != nullptr) return *found;
  throw InternalError("a plan without the phase '" + std::string(name) + "'");
}

}  // namespace tessera
