// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/deck/deck.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/schedule/schedule.hpp"

namespace tessera::app {

/// The names of the inputs, stages and loops that a deck may schedule. Each array is in one list.
struct ScheduleNames {
  /// The inputs.
  std::vector<std::string> inputs;
  /// The stages that are neither outputs nor global reductions.
  std::vector<std::string> stages;
  /// The global reductions that are not outputs.
  std::vector<std::string> reductions;
  /// The outputs, global reductions among them.
  std::vector<std::string> outputs;
  /// The loops.
  std::vector<std::string> loops = {};
};

/// Returns the names that a deck may schedule in this pipeline, in the order in which it declares them.
ScheduleNames schedule_names(const Algorithm& pipeline);

/// Returns `names` without those that the pipeline does not have.
ScheduleNames common_names(ScheduleNames names, const Algorithm& pipeline);

/// Declares `grid`, `slices`, `overlap`, `levels`, `schedule.<stage>.compute|grid|align|tile` and, where
/// there are loops, `loops.<loop>.turns_per_exchange|turns_per_tile|turns_per_test` with their defaults.
void declare_schedule_keys(deck::Schema& schema, const ScheduleNames& names);

/// Returns the schedule that a deck asks for. If `device` is true it has the tile sizes for devices, else
/// those for hosts.
Schedule schedule_from_deck(const deck::Deck& deck, const ScheduleNames& names, bool device);

/// Returns the names of the schedule's keys that a deck gives, such as "grid" and "schedule.bh.tile".
std::vector<std::string> given_schedule_keys(const deck::Deck& deck);

}  // namespace tessera::app
