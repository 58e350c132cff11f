// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "pipeline/random_schedule.hpp"

namespace tessera::test {

/// Inner tiles of few rows, in most of which windows keep something.
inline TileSize random_inner_tile(Random& random, int dimensions) {
  std::vector<TileSize> choices = {{}, {1}, {5}, {10000}};
  if (dimensions > 1)
    choices = {{}, {10000, 1}, {10000, 2}, {10000, 3}, {10000, 5}, {7, 1}, {4, 2}, {10000}, {10000, 10000}};
  if (dimensions > 2) choices.insert(choices.end(), {{10000, 2, 10000}, {10000, 1, 2}, {3, 2, 1}});
  return random.one_of(choices);
}

/// Computes most of the stages that may be in tiles there, in windows or once for all inner tiles where that
/// is legal, and cuts tiles into inner tiles. Leaves some placements to the planner.
inline void add_random_windows(Random& random, const Algorithm& pipeline, Schedule& schedule) {
  const auto placement_of = [&](ArrayId id) {
    const auto found = schedule.stages.find(pipeline[pipeline[id].lead].name);
    return found == schedule.stages.end() ? Placement::distributed : found->second.placement;
  };
  for (const ArrayDeclaration& array : pipeline.arrays()) {
    const auto found = schedule.stages.find(array.name);
    if (array.is_input() || found == schedule.stages.end()) continue;
    StageSchedule& stage = found->second;
    const int dimensions = array.computed_dimensions();
    if (random.chance(70)) stage.inner = random_inner_tile(random, dimensions);
    if (random.chance(60)) stage.tile.assign(static_cast<std::size_t>(dimensions), 10000);
    if (random.chance(20)) {
      stage.placement = Placement::automatic;
      continue;
    }
    const bool may_be_in_tiles =
        stage.placement == Placement::tile ||
        (stage.placement != Placement::distributed && !is_read_in_another_loop(pipeline, array.lead));
    if (!may_be_in_tiles || array.is_value() || random.chance(20)) continue;
    const bool finds_inputs = std::ranges::all_of(array.inputs, [&](ArrayId input) {
      return !is_in_tiles(placement_of(input)) || placement_of(input) == Placement::outer_tile;
    });
    const Placement other = random.chance(85) ? Placement::window : Placement::tile;
    stage.placement = finds_inputs && random.chance(25) ? Placement::outer_tile : other;
  }
}

}  // namespace tessera::test
