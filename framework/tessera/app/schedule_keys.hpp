// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/deck/deck.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/schedule/schedule.hpp"

namespace tessera::app {

/// The names of a pipeline that a deck may schedule.
struct ScheduleNames {
  std::vector<std::string> inputs;
  std::vector<std::string> stages;
  /// Global reductions.
  std::vector<std::string> reductions;
  std::vector<std::string> outputs;
  std::vector<std::string> loops = {};
};

/// Those of a pipeline, in order.
ScheduleNames schedule_names(const Algorithm& pipeline);

/// Those of `names` that a pipeline has.
ScheduleNames common_names(ScheduleNames names, const Algorithm& pipeline);

/// Declares `grid`, `slices`, `overlap`, `levels`, `schedule.<stage>.compute|grid|align|tile` and, where
/// there are loops, `loops.<loop>.turns_per_exchange|turns_per_tile|turns_per_test` with their defaults.
void declare_schedule_keys(deck::Schema& schema, const ScheduleNames& names);

/// The schedule that a deck asks for. `device`: tile sizes are those for devices.
Schedule schedule_from_deck(const deck::Deck& deck, const ScheduleNames& names, bool device);

/// The schedule's keys that a deck gives, such as "grid" and "schedule.bh.tile".
std::vector<std::string> given_schedule_keys(const deck::Deck& deck);

}  // namespace tessera::app
