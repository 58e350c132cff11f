// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/pipeline/plan/plan.hpp"

namespace tessera {

/// Messages of one rank, all that goes to one partner counted as one.
struct Traffic {
  std::int64_t messages = 0;
  std::int64_t bytes = 0;
};

/// What an exchange sends and receives.
Traffic sent(const Algorithm& pipeline, const plan::Exchange& exchange);
Traffic received(const Algorithm& pipeline, const plan::Exchange& exchange);

/// Bytes of the points of a box of an array.
std::int64_t bytes_of(const Algorithm& pipeline, int array, const Box& box);

/// What one call of a step costs a rank.
struct StepWork {
  /// Points read, written, filled or computed; of a compute node those of all members, as often as they are
  /// computed.
  std::int64_t points = 0;
  /// Bytes that it must at least read from arrays in memory and write to them, each once; of an exchange
  /// what it sends.
  std::int64_t bytes = 0;
};

StepWork work_of(const Algorithm& pipeline, const PlanNode& node);

}  // namespace tessera
