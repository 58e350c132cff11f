// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/plan/staging.hpp"

#include <algorithm>

namespace tessera {
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
