// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/pipeline/plan/plan_nodes.hpp"

namespace tessera {

/// The parts of a turn, or of a round of turns, of a loop in which ranks agree on the condition of one turn
/// or round while they compute the next one. Each step of the loop belongs to one part. The points of a turn
/// are computed first. Then the reductions of the turn start, and its swaps run. After the points of the next
/// turn have been computed, the reductions finish, and the values are computed from their results.
enum class TurnPart : std::uint8_t {
  points,      ///< The steps that do not depend on the reductions of the turn.
  reductions,  ///< The global reductions.
  values,      ///< The computation of values that depend on the reductions.
  swaps        ///< The swaps.
};

/// Returns the part of a turn to which a step of a loop belongs. `follows` is the result of
/// following_from_reductions(pipeline).
TurnPart part_of(const Algorithm& pipeline, const std::vector<bool>& follows, const PlanNode& step);

}  // namespace tessera
