// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/pipeline/algorithm/algorithm.hpp"
#include "tessera/pipeline/schedule/schedule.hpp"

namespace tessera {

/// A pipeline with its schedule, in which turns of loops stand one after the other.
struct Rounds {
  Algorithm pipeline;
  Schedule schedule;
};

/// Most turns in a round.
inline constexpr int most_turns_per_round = 32;

/// Does what `schedule.loops` says. Before a loop `l` of several turns in a round comes another, `l@rounds`,
/// whose stages are k copies of those of `l`, `next@1`, `next@2`, ...: turn by turn each copy reads the
/// iterates of the copy before, which are bounded stages. By where those are computed the round has deeper
/// ghosts (`rank`), stays in cache (`tile`), or only looks at its conditions less often (`distributed`). A
/// round in which the loop should have ended, or in which a residual is not finite, is taken back, and `l`
/// goes on from there turn by turn: it has at least one turn left, whose results others may read.
///
/// Up to k - 1 turns after the last are computed for nothing. On devices turns in tiles are those of deeper
/// ghosts. LoopProgress and plans number the loops of the new pipeline.
///
/// A loop with `overlaps_test` is only marked: its ranks agree on the condition of a turn while they compute
/// the next one.
///
/// Throws ScheduleError for numbers of turns that are not 1 to most_turns_per_round, for loops that are not
/// there or have loops in them, that carry an iterate with a periodic side over turns without an exchange, or
/// that feed an iterate on to one with other boundary conditions, or whose test cannot overlap (see
/// reason_against_overlap); InternalError for a pipeline that has
/// rounds already.
Rounds in_rounds(const Algorithm& pipeline, const Schedule& schedule);

/// The key to blame in a deck for one of a schedule in rounds: "schedule.next.tile" for
/// "schedule.next@4.tile".
std::string key_without_turn(std::string key);

}  // namespace tessera
