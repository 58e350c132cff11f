// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/run/detail/host_staging.hpp"

#include <algorithm>

namespace tessera {
namespace {

const Block<>& block_of(const StagedArray& array, const RankBuffers& buffers) {
  const std::vector<int>& numbers = array.is_computed ? buffers.written : buffers.read;
  const int buffer = numbers[static_cast<std::size_t>(array.array)];
  return buffers.blocks[static_cast<std::size_t>(buffer)];
}

/// Whether `step` computes all points of `box`.
bool computes_all(const plan::Compute& step, const Box& box) {
  std::int64_t points = 0;
  for (const Box& part : step.parts) points += intersection(part, box).size();
  return points == box.size();
}

}  // namespace

HostStaging::HostStaging(const Algorithm& pipeline, const Plan& plan)
    : arrays_(static_cast<std::size_t>(pipeline.size())) {
  std::int64_t bytes = 0;
  walk(plan.root, [&](const PlanNode& node) {
    const auto* step = std::get_if<plan::Compute>(&node.step);
    // Only arrays that the rank has points of are sure to have buffers.
    if (step == nullptr || step->parts.empty() || !is_staged(pipeline, plan.target, step->stage)) return;
    arrays_[static_cast<std::size_t>(step->stage)] = staged_arrays(pipeline, plan, step->stage);
    bytes = std::max(bytes, staging_bytes(pipeline, plan, step->stage));
  });
  if (bytes == 0) return;
  memory_ = decltype(memory_)(Kokkos::view_alloc(Kokkos::WithoutInitializing, "tessera: staging"),
                              static_cast<std::size_t>(bytes));
  places_.written.resize(arrays_.size());
  places_.read.resize(arrays_.size());
}

const ArrayPlaces& HostStaging::fetch(const ExecutionSpace& execution, const plan::Compute& step,
                                      const RankBuffers& buffers) {
  for (const StagedArray& array : arrays(step)) {
    const Block<>& block = block_of(array, buffers);
    std::byte* const copy = memory_.data() + array.offset;
    // `store` copies the whole buffer back, so that points which the step does not compute must be there.
    if (!array.is_computed || !computes_all(step, block.box()))
      compat::copy_bytes(execution, copy, block.memory().data(), static_cast<std::size_t>(block.bytes()));
    std::vector<ArrayReference>& places = array.is_computed ? places_.written : places_.read;
    places[static_cast<std::size_t>(array.array)] =
        block.box().empty() ? ArrayReference{} : block.layout().reference(copy);
  }
  // The copies must be complete before the host reads them. Earlier copies of `store`, which read the same
  // memory, are then complete as well.
  compat::fence(execution);
  return places_;
}

void HostStaging::store(const ExecutionSpace& execution, const plan::Compute& step,
                        const RankBuffers& buffers) const {
  for (const StagedArray& array : arrays(step)) {
    if (!array.is_computed) continue;
    const Block<>& block = block_of(array, buffers);
    compat::copy_bytes(execution, block.memory().data(), memory_.data() + array.offset,
                       static_cast<std::size_t>(block.bytes()));
  }
}

}  // namespace tessera
