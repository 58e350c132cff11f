// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/pipeline/plan/plan_nodes.hpp"

namespace tessera {

/// The parts of a turn to which the steps of a loop belong if ranks agree on the condition of a turn while
/// they compute the next one.
enum class TurnPart : std::uint8_t {
  points,      ///< Steps that need no reduction of the turn.
  reductions,  ///< Reductions, which start after the points and finish after the points of the next turn.
  values,      ///< Steps that compute values from the reductions.
  swaps        ///< Swaps, which run after the reductions have started.
};

/// Returns the part of a turn to which a step of a loop belongs.
TurnPart part_of(const Algorithm& pipeline, const PlanNode& step);

}  // namespace tessera
