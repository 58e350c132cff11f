// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "domain/random.hpp"
#include "tessera/pipeline/algorithm/algorithm.hpp"
#include "tessera/pipeline/algorithm/declarations.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/planner/scheduled_pipeline.hpp"
#include "tessera/pipeline/schedule/rounds.hpp"
#include "tessera/pipeline/schedule/schedule.hpp"

namespace tessera::test {

inline std::string to_string(const Schedule& schedule) {
  std::string text = "grid ";
  text += schedule.grid.text();
  if (schedule.overlap == Overlap::on) text += " overlapped";
  for (const auto& [name, stage] : schedule.stages) {
    text.append("; ").append(name).append(" ").append(name_of(stage.placement));
    if (stage.align_own) text.append(" aligned to itself");
    if (stage.grid) text.append(" grid ").append(stage.grid->text());
    for (std::int64_t size : stage.tile) text.append(" tile ").append(std::to_string(size));
    for (std::int64_t size : stage.inner) text.append(" inner ").append(std::to_string(size));
  }
  for (const auto& [name, loop] : schedule.loops)
    text += "; " + name + (loop.overlaps_test ? " overlapped," : "") + " turns per exchange " +
            std::to_string(loop.turns_per_exchange) + " tile " + std::to_string(loop.turns_per_tile) +
            " test " + std::to_string(loop.turns_per_test);
  return text;
}

inline GridRequest random_grid_request(Random& random, int dimensions) {
  std::vector<std::vector<int>> choices = {{}, {0}};
  if (dimensions > 1) choices.insert(choices.end(), {{1, 0}, {0, 1}, {0, 0}, {1, 0}, {0, 1}});
  GridRequest request{random.one_of(choices)};
  if (request.entries.size() == 2 && random.chance(20)) request.order = {1, 0};
  // One rank owns all points, and the others none.
  if (random.chance(10)) {
    request.entries.assign(request.entries.size(), 1);
    request.may_leave_idle = true;
  }
  return request;
}

inline TileSize random_tile(Random& random, int dimensions) {
  std::vector<TileSize> choices = {{}, {1}, {5}, {10000}};
  if (dimensions > 1) choices.insert(choices.end(), {{1, 1}, {3, 5}, {10000, 10000}, {16, 2}, {7, 1}});
  if (dimensions > 2) choices.insert(choices.end(), {{4, 3, 2}, {10000, 10000, 10000}});
  return random.one_of(choices);
}

/// Some loop feeds the array, or feeds another with it.
inline bool changes_places(const Algorithm& pipeline, ArrayId id) {
  for (const LoopDeclaration& loop : pipeline.loops())
    for (const auto& [from, to] : loop.feeds)
      if (from == id || to == id) return true;
  return false;
}

inline bool is_read_in_another_loop(const Algorithm& pipeline, ArrayId id) {
  const auto is_apart = [&](ArrayId reader) {
    if (pipeline.loop_of(reader) != pipeline.loop_of(id)) return true;
    for (const LoopDeclaration& loop : pipeline.loops())
      if (id < loop.first && loop.last <= reader) return true;
    return false;
  };
  for (ArrayId reader : IdRange(id + 1, ArrayId{pipeline.size()}))
    for (ArrayId input : pipeline[reader].inputs)
      if (pipeline[input].lead == id && is_apart(reader)) return true;
  return false;
}

inline bool can_have_rounds(const Algorithm& pipeline, const Schedule& schedule) {
  try {
    in_rounds(pipeline, schedule);
  } catch (const ScheduleError&) {
    return false;
  }
  return true;
}

/// Rounds of any number of turns for the loops that may have them.
inline void add_random_rounds(Random& random, const Algorithm& pipeline, Schedule& schedule) {
  for (const LoopDeclaration& loop : pipeline.loops()) {
    const bool holds_others = std::ranges::any_of(pipeline.loops(), [&loop](const LoopDeclaration& other) {
      return &other > &loop && other.last <= loop.last;
    });
    const bool is_periodic = std::ranges::any_of(loop.feeds, [&pipeline](const LoopDeclaration::Feed& feed) {
      return pipeline[feed.to].has_periodic_side();
    });
    if (holds_others || random.chance(20)) continue;
    LoopSchedule& asked = schedule.loops[loop.name];
    asked.overlaps_test = reason_against_overlap(pipeline, loop).empty() && random.chance(50);
    if (asked.overlaps_test && random.chance(30)) continue;
    asked.turns_per_test = random.small(1, 5);
    asked.turns_per_exchange = random.small(1, 5);
    asked.turns_per_tile = random.small(1, 4);
    // Not all stages can compute points beyond periodic sides.
    if (is_periodic && !can_have_rounds(pipeline, schedule))
      asked.turns_per_exchange = asked.turns_per_tile = 1;
  }
}

/// Any placement, grid and tile size for every stage that may have one.
inline Schedule random_schedule(Random& random, const Algorithm& pipeline) {
  Schedule schedule;
  schedule.grid = random_grid_request(random, 1);
  schedule.slicing = random.chance(30) ? Slicing::balanced : Slicing::ceil;
  schedule.overlap = random.one_of<Overlap>({Overlap::automatic, Overlap::on, Overlap::off});
  for (ArrayId id : pipeline.ids()) {
    const ArrayDeclaration& declaration = pipeline[id];
    // A reduction that is left out may be computed together with what it reduces.
    if (declaration.is_value() || declaration.is_further_output() ||
        random.chance(declaration.is_reduction() ? 50 : 10))
      continue;
    StageSchedule stage;
    const bool changes = changes_places(pipeline, id);
    if (!declaration.is_input() && !declaration.is_output && !declaration.is_reduction() && !changes &&
        reason_against_ghosts(pipeline.arrays(), id).empty())
      stage.placement =
          static_cast<Placement>(random.small(0, is_read_in_another_loop(pipeline, id) ? 2 : 3));
    if (declaration.is_bounded() && declaration.has_periodic_side() &&
        stage.placement == Placement::replicated)
      stage.placement = Placement::rank;
    if (!changes && random.chance(70)) stage.grid = random_grid_request(random, declaration.dimensions);
    stage.align_own = !declaration.is_input() && random.chance(15);
    if (!declaration.is_input()) stage.tile = random_tile(random, declaration.dimensions);
    schedule.stages[declaration.name] = stage;
  }
  return schedule;
}

/// 1 to 64, small ones more often.
inline int random_rank_count(Random& random) { return 1 << random.small(0, 5) | random.small(0, 32); }

}  // namespace tessera::test
