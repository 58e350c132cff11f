// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/pipeline/plan/plan_nodes.hpp"

namespace tessera {

/// What a step of a loop belongs to, if ranks agree on a turn's condition while they compute the next turn.
enum class TurnPart : std::uint8_t {
  points,      ///< All that needs no reduction of the turn.
  reductions,  ///< Started after the points, finished after those of the next turn.
  values,      ///< What follows from the reductions.
  swaps        ///< After the reductions have started.
};

TurnPart part_of(const Algorithm& pipeline, const PlanNode& step);

}  // namespace tessera
