// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "tessera/pipeline/plan/plan_nodes.hpp"
#include "tessera/view/block_layout.hpp"

namespace tessera {

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

std::int64_t place_by_lifetime(const std::vector<std::int64_t>& bytes, const std::vector<Lifetime>& lifetimes,
                               std::vector<std::int64_t>& offsets) {
  std::vector<std::size_t> order(bytes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return bytes[a] > bytes[b]; });
  offsets.assign(bytes.size(), 0);
  std::int64_t total = 0;
  // The pieces that are placed already, in the order of their offsets.
  std::vector<std::size_t> placed;
  for (const std::size_t piece : order) {
    std::int64_t offset = 0;
    for (const std::size_t other : placed) {
      const bool are_in_use_together =
          lifetimes[other].first <= lifetimes[piece].last && lifetimes[piece].first <= lifetimes[other].last;
      if (are_in_use_together && offset < offsets[other] + aligned_bytes(bytes[other]) &&
          offsets[other] < offset + aligned_bytes(bytes[piece]))
        offset = offsets[other] + aligned_bytes(bytes[other]);
    }
    offsets[piece] = offset;
    total = std::max(total, offset + aligned_bytes(bytes[piece]));
    placed.insert(std::upper_bound(placed.begin(), placed.end(), piece,
                                   [&](std::size_t a, std::size_t b) { return offsets[a] < offsets[b]; }),
                  piece);
  }
  return total;
}

namespace {

/// Returns the bytes that the copy of the buffer of an array takes.
std::int64_t copy_bytes_of(const Plan& plan, ArrayId array, bool is_computed) {
  const ArrayRegions& regions = plan.stages[array];
  const BufferId buffer = is_computed ? regions.written_buffer : regions.read_buffer;
  return aligned_bytes(plan.buffers[buffer].bytes);
}

}  // namespace

bool is_staged(const Algorithm& pipeline, const Target& target, ArrayId stage) {
  const StageKernel* const kernel = pipeline[stage].kernel.get();
  return target.device && kernel != nullptr && kernel->needs_host();
}

std::vector<StagedArray> staged_arrays(const Algorithm& pipeline, const Plan& plan, ArrayId stage) {
  std::vector<StagedArray> arrays;
  std::int64_t offset = 0;
  const auto add = [&](ArrayId array, bool is_computed) {
    arrays.push_back({array, is_computed, offset});
    offset += copy_bytes_of(plan, array, is_computed);
  };
  for (ArrayId input : pipeline[stage].inputs)
    if (std::ranges::find(arrays, input, &StagedArray::array) == arrays.end()) add(input, false);
  // A reduction computes partial values, which lie in host memory.
  if (!pipeline[stage].is_reduction())
    for (ArrayId part : pipeline.parts(stage)) add(part, true);
  return arrays;
}

std::int64_t staging_bytes(const Algorithm& pipeline, const Plan& plan, ArrayId stage) {
  const StagedArray last = staged_arrays(pipeline, plan, stage).back();
  return last.offset + copy_bytes_of(plan, last.array, last.is_computed);
}

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

int number_nodes(PlanNode& root) {
  int next_id = 0;
  number_nodes(root, next_id);
  return next_id;
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
      [&](const plan::Repeat& step) { return pipeline.loop(step.loop).name; },
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
