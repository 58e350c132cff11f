// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/detail/rank_memory.hpp"

#include <algorithm>

#include "tessera/view/host_copy.hpp"

namespace tessera::group {

RankMemory::RankMemory(const Program& program, const ProgramPlan& plan)
    : program_(program),
      plan_(plan),
      bytes_(Kokkos::view_alloc(Kokkos::WithoutInitializing, "tessera: arrays between tasks"),
             static_cast<std::size_t>(plan.held_bytes)) {}

HostBlock RankMemory::held(const HeldArray& held) const {
  return packed_block(bytes_.data() + held.offset, program_.array(held.array).type, held.box);
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
  copy_part(block, kept, intersection(block.box, kept.box));
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
  copy_part(kept, block, intersection(block.box, kept.box));
  for (const Parcel& parcel : plan_.receives)
    if (parcel.array == array)
      for_each_box(parcel,
                   [&](const HostBlock& part) { copy_part(part, block, intersection(part.box, block.box)); });
}

void RankMemory::pack(const Parcel& parcel) const {
  if (parcel.in_place) return;
  const HostBlock kept = held(parcel.array);
  for_each_box(parcel, [&](const HostBlock& part) { copy_part(kept, part, part.box); });
}

}  // namespace tessera::group
