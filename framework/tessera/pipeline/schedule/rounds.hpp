// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/pipeline/algorithm/algorithm.hpp"
#include "tessera/pipeline/schedule/schedule.hpp"

namespace tessera {

/// A pipeline with its schedule, in which turns of loops stand one after the other.
struct Rounds {
  /// The pipeline with the rounds added.
  Algorithm pipeline;
  /// The schedule of the new pipeline, without `loops`.
  Schedule schedule;
};

/// The most turns that a round may have.
inline constexpr int most_turns_per_round = 32;

/// Applies `schedule.loops`. Before a loop `l` with rounds of k turns it inserts another loop, `l@rounds`,
/// whose stages are k copies of those of `l`: `next@1`, `next@2` and so on. Each copy reads the iterates of
/// the copy before, which are bounded stages. Their placement decides what a round is for: it has deeper
/// ghosts (`rank`), it stays in cache (`tile`), or it only tests its conditions less often (`distributed`). A
/// round in which the loop should have ended, or in which a residual is not finite, is taken back, and `l`
/// goes on from there turn by turn; it always has at least one turn left, whose results other stages may
/// read.
///
/// Up to k - 1 turns after the last one are computed for nothing. Devices run turns in tiles as turns with
/// deeper ghosts. LoopProgress and plans number the loops of the new pipeline.
///
/// A loop with `overlaps_test` is only marked: its ranks agree on the condition of a turn while they compute
/// the next one.
///
/// Throws ScheduleError for numbers of turns that are not 1 to most_turns_per_round, for loops that do not
/// exist, and for loops whose turns must run one by one: they have loops in them, or carry an iterate with a
/// periodic side over turns without an exchange, or feed an iterate on to one with other boundary conditions.
/// Throws ScheduleError as well for a test that cannot overlap (see reason_against_overlap), and
/// InternalError for a pipeline that has rounds already.
Rounds in_rounds(const Algorithm& pipeline, const Schedule& schedule);

/// The key in a deck that stands for a key of a schedule in rounds: "schedule.next.tile" for
/// "schedule.next@4.tile".
std::string key_without_turn(std::string key);

}  // namespace tessera
