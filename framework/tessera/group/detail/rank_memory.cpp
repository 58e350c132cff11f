// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/detail/rank_memory.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/domain/error.hpp"
#include "tessera/group/detail/array_routes.hpp"
#include "tessera/view/launch.hpp"

namespace tessera::group {
namespace {

/// Several threads copy a part of an array if it has at least this number of bytes.
constexpr std::int64_t large_copy = std::int64_t{1} << 20;

/// Copies the points of a box, cut into slices along its last dimension.
struct CopySlice {
  HostBlock from, to;
  Box part;
  std::int64_t slices = 1;

  void operator()(std::int64_t slice) const {
    Box box = part;
    Range& range = box[part.dimensions - 1];
    const std::int64_t begin = range.begin, size = range.size();
    range = {begin + size * slice / slices, begin + size * (slice + 1) / slices};
    copy_part(from, to, box);
  }
};

/// Copies the points of `part` from one block to another by all threads of the rank.
void copy_by_threads(const HostBlock& from, const HostBlock& to, const Box& part) {
  if (part.empty()) return;
  const std::int64_t bytes = part.size() * static_cast<std::int64_t>(size_of(from.type));
  const std::int64_t slices =
      bytes < large_copy ? 1 : std::min<std::int64_t>(64, part[part.dimensions - 1].size());
  const HostExecutionSpace host;
  for_each_index(host, HostMode::kernels, "tessera: copy between tasks", slices,
                 CopySlice{from, to, part, slices});
  compat::fence(host);
}

/// Returns memory for a number of bytes, whose pages all threads of the rank have touched.
Block<Kokkos::HostSpace> touched_bytes(std::int64_t count) {
  Box bytes{{0, count}};
  const Kokkos::View<std::byte*, Kokkos::HostSpace> memory(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, "tessera: arrays between tasks"),
      static_cast<std::size_t>(count));
  prefer_huge_pages(memory.data(), memory.size());
  return {dense_layout(bytes, 1), memory, HostMode::kernels};
}

}  // namespace

RankMemory::RankMemory(const Program& program, const ProgramPlan& plan)
    : program_(program), plan_(plan), bytes_(touched_bytes(plan.held_bytes)) {}

HostBlock RankMemory::held(const HeldArray& held) const {
  return packed_block(bytes_.memory().data() + held.offset, program_.array(held.array).type, held.box);
}

HostBlock RankMemory::held(int array) const {
  const auto found = std::ranges::find(plan_.held, array, &HeldArray::array);
  if (found != plan_.held.end()) return held(*found);
  Box none;
  none.dimensions = program_.array(array).domain.dimensions;
  return packed_block(nullptr, program_.array(array).type, none);
}

void RankMemory::keep(int array, const HostBlock& block) const {
  const HostBlock kept = held(array);
  copy_by_threads(block, kept, intersection(block.box, kept.box));
}

template <class Use>
void RankMemory::for_each_box(const Parcel& parcel, const Use& use) const {
  const ProgramArray& array = program_.array(parcel.array);
  std::byte* data = message(parcel);
  for (const Box& box : parcel.boxes) {
    use(packed_block(data, array.type, box));
    data += box.size() * array.element_bytes();
  }
}

void RankMemory::fill(int array, const HostBlock& block) const {
  const HostBlock kept = held(array);
  copy_by_threads(kept, block, intersection(block.box, kept.box));
  for (const Parcel& parcel : plan_.receives)
    if (parcel.array == array)
      for_each_box(parcel, [&](const HostBlock& part) {
        copy_by_threads(part, block, intersection(part.box, block.box));
      });
}

void RankMemory::pack(const Parcel& parcel) const {
  if (parcel.in_place) return;
  const HostBlock kept = held(parcel.array);
  for_each_box(parcel, [&](const HostBlock& part) { copy_by_threads(kept, part, part.box); });
}

TaskEdges::TaskEdges(const Program& program, TaskId task, const std::vector<const RankMemory*>& ranks) {
  const Algorithm& pipeline = program.task(task).pipeline;
  const auto add = [&](int array) {
    return arrays_.emplace_back(std::make_unique<KeptArray>(ranks, array)).get();
  };
  for (ArrayId id : pipeline.ids()) {
    if (pipeline[id].is_input()) bindings_.sources[pipeline[id].name] = add(program.read_at({task, id}));
    if (pipeline[id].is_output) bindings_.sinks[pipeline[id].name] = add(program.computed_at({task, id}));
  }
}

void read_inputs(const Program& program, const RankMemory& memory, const ProgramBindings& bindings) {
  for (const int number : program.arrays().ids()) {
    const ProgramArray& array = program.array(number);
    if (!array.is_input()) continue;
    const auto source = bindings.sources.find(array.name);
    if (source == bindings.sources.end())
      throw InternalError(fmt::format("the input '{}' of the program has no source", array.name));
    source->second->read(memory.held(number));
  }
}

void write_block(const Program& program, const RankMemory& memory, int array, const Box& box,
                 BlockSink& sink) {
  const HostBlock held = memory.held(array);
  if (held.box == box) return sink.write(held);
  std::vector<std::byte> points(static_cast<std::size_t>(box.size() * program.array(array).element_bytes()));
  const HostBlock block = packed_block(points.data(), program.array(array).type, box);
  memory.fill(array, block);
  sink.write(block);
}

void write_outputs(const Program& program, const ProgramPlan& plan, const RankMemory& memory,
                   const ProgramBindings& bindings) {
  for (const int number : program.arrays().ids()) {
    const ProgramArray& array = program.array(number);
    const auto sink = bindings.sinks.find(array.output);
    if (array.output.empty() || sink == bindings.sinks.end()) continue;
    const Box box = plan.is_stream ? intersection(memory.held(number).box, array.written)
                                   : rows_of_rank(array.written, plan.rank_count, plan.rank);
    write_block(program, memory, number, box, *sink->second);
  }
}

}  // namespace tessera::group
