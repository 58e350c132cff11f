// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tessera/deck/deck.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/schedule/schedule.hpp"

namespace tessera::app {

/// The names of the inputs, stages and loops that a deck may schedule. The name of an array is in one list
/// only.
struct ScheduleNames {
  /// The names of the inputs.
  std::vector<std::string> inputs = {};
  /// The names of the stages that are neither outputs nor global reductions.
  std::vector<std::string> stages = {};
  /// The names of the global reductions that are not outputs.
  std::vector<std::string> reductions = {};
  /// The names of the outputs. An output that is a global reduction is also in this list.
  std::vector<std::string> outputs = {};
  /// The names of the loops.
  std::vector<std::string> loops = {};
  /// The stages that belong to another stage (see PipelineApplication::stages_within).
  std::map<std::string, std::string> within = {};
  /// The default of `schedule.<stage>.compute`.
  std::string default_compute = "distributed";
  /// Whether the pipeline, and with it all names, is not known yet (see deck::Schema::names_follow).
  bool follow = false;
  /// The stages that only their owners can compute: outputs, global reductions, and bounded stages beyond
  /// whose periodic sides no rank can compute points. As parts of another stage they stay distributed.
  std::set<std::string> owned = {};
  /// The bounded stages with periodic sides, which cannot be replicated. As parts of another stage they are
  /// distributed instead.
  std::set<std::string> periodic = {};
};

/// Returns the names in `pipeline` that a deck may schedule, in the order of their declarations.
ScheduleNames schedule_names(const Algorithm& pipeline);

/// Adds those names of stages and loops in `pipeline` that `names` does not have.
void add_names(ScheduleNames& names, const Algorithm& pipeline);

/// Returns those of `names` that `pipeline` has, too. An array that is an input in one of them and computed
/// in the other is left out. `owned` and `periodic` have such stages of the pipeline.
ScheduleNames common_names(ScheduleNames names, const Algorithm& pipeline);

/// Declares the keys of schedules with their defaults: `grid`, `idle`, `order`, `slices`, `overlap` and
/// `levels`; for each stage `schedule.<stage>.KEY`, where KEY is `compute`, `grid`, `align`, `tile` or
/// `inner`; and for each loop `loops.<loop>.KEY`, where KEY is `turns_per_exchange`, `turns_per_tile`,
/// `turns_per_test` or `test`.
void declare_schedule_keys(deck::Schema& schema, const ScheduleNames& names);

/// Returns the schedule that a deck gives for the inputs, stages and loops in `names`. If `device` is true,
/// the schedule has the tile sizes for devices, and otherwise the tile sizes for hosts.
Schedule schedule_from_deck(const deck::Deck& deck, const ScheduleNames& names, bool device);

}  // namespace tessera::app
