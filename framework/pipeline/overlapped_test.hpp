// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/pipeline/pipeline.hpp"
#include "tessera/pipeline/plan_nodes.hpp"

namespace tessera {

/// What a step of a loop belongs to, if ranks agree on a turn's condition while they compute the next turn.
enum class TurnPart : std::uint8_t {
  points,      ///< All that needs no reduction of the turn.
  reductions,  ///< Started after the points, finished after those of the next turn.
  values,      ///< What follows from the reductions.
  swaps        ///< After the reductions have started.
};

TurnPart part_of(const Pipeline& pipeline, const PlanNode& step);

/// Why the ranks cannot agree on the condition of a loop's turn while they compute the next one; empty when
/// they can. Nothing that a turn computes may follow from what the ranks agree on, and nothing but iterates
/// and values of the condition may be asked for after the loop: of all else there is that of a turn more.
std::string reason_against_overlap(const Pipeline& pipeline, const LoopDeclaration& loop);

}  // namespace tessera
