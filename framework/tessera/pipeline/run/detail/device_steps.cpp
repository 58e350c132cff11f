// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/run/detail/rank_executor.hpp"

#include <algorithm>

namespace tessera {
namespace {

template <class T>
Kokkos::View<T*, MemorySpace> to_device(const std::vector<T>& values, const ExecutionSpace& execution) {
  using HostView = Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  const Kokkos::View<T*, MemorySpace> copy(Kokkos::view_alloc(Kokkos::WithoutInitializing, "tessera: group"),
                                           values.size());
  Kokkos::deep_copy(execution, copy, HostView(values.data(), values.size()));
  execution.fence();
  return copy;
}

}  // namespace

GroupLaunch::GroupLaunch(const Algorithm& pipeline, const TileProgram& program, const ArrayPlaces& arrays,
                         const ExecutionSpace& execution) {
  const FusableGroup& group = pipeline.groups()[static_cast<std::size_t>(program.step->group)];
  kernel_ = group.kernel.get();
  const auto member_of = [&](ArrayId stage) {
    const auto found = std::find_if(program.members.begin(), program.members.end(),
                                    [&](const TileProgram::Member& member) { return member.stage == stage; });
    return static_cast<std::size_t>(found - program.members.begin());
  };
  const std::size_t members = program.members.size();
  // The box of each stage of the group in each tile. It is empty if the stage is not computed in these tiles.
  std::vector<Box> boxes;
  for (std::int64_t tile = 0; tile < program.tiles.size(); ++tile)
    for (const ArrayId stage : group.stages) {
      const std::size_t m = member_of(stage);
      boxes.push_back(m == members       ? Box()
                      : m + 1 == members ? program.tiles.tiles()[tile]
                                         : program.box(tile, m));
    }
  const auto add = [&](ArrayId array, bool is_read) {
    GroupArray entry{{}, -1, 0, pipeline[array].element_bytes()};
    for (const plan::Scratch& scratch : program.step->scratch)
      if (scratch.array == array) {
        const auto stage = std::find(group.stages.begin(), group.stages.end(), pipeline[array].lead);
        entry.member = static_cast<int>(stage - group.stages.begin());
        entry.scratch_offset = scratch.offset;
      }
    uses_.push_back({array, is_read});
    host_arrays_.push_back(entry);
  };
  for (const ArrayId stage : group.stages) {
    for (const ArrayId input : pipeline[stage].inputs) add(input, true);
    for (ArrayId part : pipeline.parts(stage)) add(part, false);
  }
  boxes_ = to_device(boxes, execution);
  arrays_ = to_device(host_arrays_, execution);
  place(arrays, execution);
  tiles_ = {program.tiles.size(), boxes_.data(), arrays_.data(), program.step->scratch_bytes};
}

void GroupLaunch::place(const ArrayPlaces& arrays, const ExecutionSpace& execution) {
  for (std::size_t i = 0; i < uses_.size(); ++i)
    host_arrays_[i].memory = (uses_[i].is_read ? arrays.read : arrays.written)[uses_[i].array];
  compat::copy_bytes(execution, reinterpret_cast<std::byte*>(arrays_.data()),
                     reinterpret_cast<const std::byte*>(host_arrays_.data()),
                     host_arrays_.size() * sizeof(GroupArray));
  compat::fence(execution);
}

void GroupLaunch::run(const ExecutionSpace& execution) const { kernel_->launch(execution, tiles_); }

namespace {

const Block<>& block_of(const StagedArray& array, const RankBuffers& buffers) {
  return buffers.blocks[(array.is_computed ? buffers.written : buffers.read)[array.array]];
}

/// Whether `step` computes all points of `box`.
bool computes_all(const plan::Compute& step, const Box& box) {
  std::int64_t points = 0;
  for (const Box& part : step.parts) points += intersection(part, box).size();
  return points == box.size();
}

}  // namespace

HostStaging::HostStaging(const Algorithm& pipeline, const Plan& plan)
    : arrays_(pipeline.table<std::vector<StagedArray>>()) {
  std::int64_t bytes = 0;
  walk(plan.root, [&](const PlanNode& node) {
    const auto* step = std::get_if<plan::Compute>(&node.step);
    // If the rank computes no points in the step, the arrays of the step may lack buffers.
    if (step == nullptr || step->parts.empty() || !is_staged(pipeline, plan.target, step->stage)) return;
    arrays_[step->stage] = staged_arrays(pipeline, plan, step->stage);
    bytes = std::max(bytes, staging_bytes(pipeline, plan, step->stage));
  });
  if (bytes == 0) return;
  memory_ = decltype(memory_)(Kokkos::view_alloc(Kokkos::WithoutInitializing, "tessera: staging"),
                              static_cast<std::size_t>(bytes));
  places_.written = places_.read = pipeline.table<ArrayReference>();
}

const ArrayPlaces& HostStaging::fetch(const ExecutionSpace& execution, const plan::Compute& step,
                                      const RankBuffers& buffers) {
  for (const StagedArray& array : arrays_[step.stage]) {
    const Block<>& block = block_of(array, buffers);
    std::byte* const copy = memory_.data() + array.offset;
    // `store` copies the whole buffer back. The copy must then also hold the points that the step leaves as
    // they are.
    if (!array.is_computed || !computes_all(step, block.box()))
      compat::copy_bytes(execution, copy, block.memory().data(), static_cast<std::size_t>(block.bytes()));
    IdVector<ArrayId, ArrayReference>& places = array.is_computed ? places_.written : places_.read;
    places[array.array] = block.box().empty() ? ArrayReference{} : block.layout().reference(copy);
  }
  // The copies must be complete before the host reads them. Earlier copies of `store`, which read the same
  // memory, are then complete as well.
  compat::fence(execution);
  return places_;
}

void HostStaging::store(const ExecutionSpace& execution, const plan::Compute& step,
                        const RankBuffers& buffers) const {
  for (const StagedArray& array : arrays_[step.stage]) {
    if (!array.is_computed) continue;
    const Block<>& block = block_of(array, buffers);
    compat::copy_bytes(execution, block.memory().data(), memory_.data() + array.offset,
                       static_cast<std::size_t>(block.bytes()));
  }
}

}  // namespace tessera
