// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/run/detail/tile_program.hpp"

namespace tessera {

TileProgram::TileProgram(const Algorithm& pipeline, const plan::Compute& compute)
    : step(&compute),
      tiles(compute.parts, compute.tile, compute.inner),
      reduces(pipeline[compute.stage].reduction != nullptr) {
  const auto place_of = [&](int array) {
    for (std::size_t k = 0; k < compute.scratch.size(); ++k)
      if (compute.scratch[k].array == array) return Place{array, static_cast<int>(k)};
    return Place{array, -1};
  };
  const auto member_of = [&](int stage) {
    std::size_t member = 0;
    while (members[member].stage != stage) ++member;
    return member;
  };
  for (const int stage : compute.members) {
    const ArrayDeclaration& declaration = pipeline[stage];
    Member& member = members.emplace_back(Member{stage, declaration.kernel.get(), {}, {}});
    for (int input : declaration.inputs) member.inputs.push_back(place_of(input));
    for (int part : pipeline.parts(stage)) {
      member.outputs.push_back(place_of(part));
      if (pipeline[part].is_bounded && stage != compute.stage)
        member.borders.push_back({member.outputs.back().scratch, pipeline[part].domain,
                                  pipeline[part].boundary, pipeline[part].element_bytes()});
    }
  }
  if (reduces)
    contributions.push_back({compute.stage, pipeline[compute.stage].reduction, members.back().inputs,
                             pipeline[compute.stage].reduced, members.size() - 1});
  for (const plan::Contribution& contribution : compute.contributions) {
    const ArrayDeclaration& reduction = pipeline[contribution.stage];
    // All inputs are outputs of the same member.
    contributions.push_back({contribution.stage,
                             reduction.reduction,
                             {},
                             contribution.box,
                             member_of(pipeline[reduction.inputs.front()].lead)});
    for (const int input : reduction.inputs) contributions.back().inputs.push_back(place_of(input));
  }
  for (const plan::Scratch& scratch : compute.scratch) {
    scratch_member.push_back(member_of(pipeline[scratch.array].lead));
    scratch_element.push_back(pipeline[scratch.array].element_bytes());
  }
  for (std::size_t m = 0; m + 1 < members.size(); ++m) members[m].placement = placement_of(compute, m);
  find_strips(pipeline);
}

void TileProgram::find_strips(const Algorithm& pipeline) {
  if (reduces) return;
  const auto is_read = [this](std::size_t scratch) {
    for (const Member& member : members)
      for (const Place& input : member.inputs)
        if (input.scratch == static_cast<int>(scratch)) return true;
    return false;
  };
  for (std::size_t k = 0; k < step->scratch.size(); ++k) {
    Member& member = members[scratch_member[k]];
    const ArrayDeclaration& array = pipeline[step->scratch[k].array];
    const bool has_rows =
        array.dimensions > 1 && pipeline[member.stage].whole[1].empty() && !member.kernel->swaps_rows();
    // Strips would overwrite the rows that a window keeps.
    const bool keeps_rows = member.placement == Placement::window;
    if (has_rows && !keeps_rows && !array.is_bounded && !is_read(k)) member.in_strips.push_back(k);
  }
}

}  // namespace tessera
