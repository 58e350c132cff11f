// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/pipeline/algorithm/algorithm.hpp"
#include "tessera/pipeline/schedule/schedule.hpp"

namespace tessera {

/// The result of in_rounds: a pipeline with additional loops, which compute several turns at a time, and the
/// schedule of this pipeline.
struct Rounds {
  /// The pipeline with the additional loops.
  Algorithm pipeline;
  /// The schedule of this pipeline. Its member `loops` is empty.
  Schedule schedule;
};

/// The greatest number of turns that a round may have.
inline constexpr int most_turns_per_round = 32;

/// Applies `schedule.loops`. For each loop `l` whose rounds have k > 1 turns, a loop `l@rounds` is inserted
/// before `l`. One turn of `l@rounds` computes one round. The stages of `l@rounds` are k copies of the stages
/// of `l`. The name of a copy is the name of its stage with the number of a turn, such as `next@1` or
/// `next@2`. A copy reads the iterates of the turn before, which are the arrays that the loop carries from
/// turn to turn. Within a round, iterates are bounded stages (see Pipeline::bound).
///
/// Copies of `distributed` stages get other placements. The first rule that applies decides:
/// - If `turns_per_tile` is n > 1: `tile`, except for bounded stages in every n-th turn.
/// - If `turns_per_exchange` is n > 1: `rank`, with deeper ghosts, except for bounded stages in every n-th
///   turn.
/// - Otherwise, and for iterates of the last turn: the placement of the stage.
///
/// If the condition of `l` holds, or a residual is not finite, after any turn of a round, the round is taken
/// back, and `l` computes the turns of this round again, one by one. Up to k - 1 turns after the last turn of
/// the loop may thus be computed in vain. `l` itself always computes at least one turn, because later stages
/// may read its arrays.
///
/// With `overlaps_test`, the ranks agree on the end of a round of `l@rounds` while they compute the next
/// round, and on the end of a turn of `l` while they compute the next turn. If a round is taken back, the
/// next round is dropped, too. The iterates of the beginning of a round are therefore kept for two rounds, in
/// the arrays that `l` computes and feeds: `l@rounds` does not use the memory of these. Only if `l` feeds an
/// iterate on to another one, `l@rounds` has one more array, a spare one (see ArrayDeclaration::is_spare),
/// such as `iterate@l@kept`. The buffers of the iterates then change places with one more buffer, so an
/// exchange of the iterates needs more message buffers (see Plan::message_bytes). Each reduction takes
/// memory for one more value, in each turn of a round and in `l` itself (see Plan::partial_bytes).
///
/// On devices, `turns_per_tile` has the same effect as `turns_per_exchange`. The numbers of loops in
/// LoopProgress and in plans are those of the new pipeline.
///
/// Throws ScheduleError
/// - if a number of turns is less than 1 or greater than most_turns_per_round,
/// - if the pipeline has no loop of a name in `schedule.loops`,
/// - if a loop with rounds contains other loops,
/// - if `turns_per_exchange` or `turns_per_tile` is more than 1, and ranks cannot compute the points of
///   a copy beyond its periodic sides (see reason_against_ghosts),
/// - if a loop with rounds feeds a bounded stage to an array that has other boundary conditions,
/// - if `overlaps_test` is set for a loop that reason_against_overlap rejects.
///
/// Throws InternalError if the pipeline has loops with rounds already.
Rounds in_rounds(const Algorithm& pipeline, const Schedule& schedule);

/// Returns `key` without the number of a turn that in_rounds adds to the name of a stage. The result for
/// "schedule.next@4.tile" is "schedule.next.tile", which is the key that a deck has for this stage.
std::string key_without_turn(std::string key);

}  // namespace tessera
