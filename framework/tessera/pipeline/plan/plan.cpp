// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/plan/plan.hpp"

#include <algorithm>
#include <numeric>

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
      const bool meet =
          lifetimes[other].first <= lifetimes[piece].last && lifetimes[piece].first <= lifetimes[other].last;
      if (meet && offset < offsets[other] + aligned_bytes(bytes[other]) &&
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
std::int64_t copy_bytes_of(const Plan& plan, int array, bool is_computed) {
  const ArrayRegions& regions = plan.stages[static_cast<std::size_t>(array)];
  const int buffer = is_computed ? regions.written_buffer : regions.read_buffer;
  return aligned_bytes(plan.buffers[static_cast<std::size_t>(buffer)].bytes);
}

}  // namespace

bool is_staged(const Algorithm& pipeline, const Target& target, int stage) {
  const StageKernel* const kernel = pipeline[stage].kernel.get();
  return target.device && kernel != nullptr && kernel->needs_host();
}

std::vector<StagedArray> staged_arrays(const Algorithm& pipeline, const Plan& plan, int stage) {
  std::vector<StagedArray> arrays;
  std::int64_t offset = 0;
  const auto add = [&](int array, bool is_computed) {
    arrays.push_back({array, is_computed, offset});
    offset += copy_bytes_of(plan, array, is_computed);
  };
  for (int input : pipeline[stage].inputs)
    if (std::ranges::find(arrays, input, &StagedArray::array) == arrays.end()) add(input, false);
  // A reduction computes partial values, which lie in host memory.
  if (pipeline[stage].reduction == nullptr)
    for (int part : pipeline.parts(stage)) add(part, true);
  return arrays;
}

std::int64_t staging_bytes(const Algorithm& pipeline, const Plan& plan, int stage) {
  const StagedArray last = staged_arrays(pipeline, plan, stage).back();
  return last.offset + copy_bytes_of(plan, last.array, last.is_computed);
}

}  // namespace tessera
