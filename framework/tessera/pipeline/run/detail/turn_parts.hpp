// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/pipeline/plan/plan_nodes.hpp"

namespace tessera {

/// The parts of a turn to which the steps of a loop belong if ranks agree on the condition of a turn while
/// they compute the next one. The points are computed first; then the reductions start and the swaps run.
/// The reductions finish after the points of the next turn, and the values are computed from them.
enum class TurnPart : std::uint8_t {
  points,      ///< All that needs no reduction of the turn.
  reductions,  ///< Started after the points, finished after those of the next turn.
  values,      ///< What follows from the reductions.
  swaps        ///< After the reductions have started.
};

/// Returns the part of a turn to which a step of a loop belongs.
TurnPart part_of(const Algorithm& pipeline, const PlanNode& step);

}  // namespace tessera
