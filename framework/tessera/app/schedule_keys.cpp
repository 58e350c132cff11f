// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/schedule_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "tessera/app/detail/launch.hpp"
#include "tessera/pipeline/algorithm/declarations.hpp"
#include "tessera/pipeline/schedule/rounds.hpp"

namespace tessera::app {
namespace {

constexpr const char* schedule_group = "Schedule";

std::string key_of_stage(const std::string& stage, const char* what) {
  return "schedule." + stage + "." + what;
}

const std::vector<std::string> dimension_names = {"x", "y", "z", "w"};
static_assert(max_dimensions == 4);

/// Returns the grid that a deck asks for by `key`. Its further members are those that the deck gives for all
/// grids.
GridRequest to_request(const deck::Deck& deck, const std::string& key) {
  GridRequest request;
  request.may_leave_idle = deck.get<std::string>("idle") == "allowed";
  for (const std::string& name : deck.get<std::vector<std::string>>("order"))
    request.order.push_back(
        static_cast<int>(std::ranges::find(dimension_names, name) - dimension_names.begin()));
  const auto& value = deck.get<deck::GridValue>(key);
  for (const auto& entry : value.entries) request.entries.push_back(static_cast<int>(entry.value_or(0)));
  return request;
}

Placement to_placement(std::string_view name) {
  for (Placement placement : {Placement::distributed, Placement::rank, Placement::replicated, Placement::tile,
                              Placement::window, Placement::outer_tile, Placement::automatic})
    if (name_of(placement) == name) return placement;
  throw InternalError("no placement is called '" + std::string(name) + "'");
}

void declare_loop_keys(deck::Schema& schema) {
  const auto turns = [](const char* name, const char* help) {
    return deck::KeyDeclaration{.name = name,
                                .type = deck::ValueType::integer,
                                .help = help,
                                .default_text = "1",
                                .unit = "turns",
                                .minimum = 1,
                                .maximum = most_turns_per_round};
  };
  schema.add(
      schedule_group,
      {turns("loops.<loop>.turns_per_exchange",
             "Iterates are exchanged after this many turns; points of the turns between are computed by "
             "several ranks"),
       turns("loops.<loop>.turns_per_tile", "This many turns of a tile are computed while it is in cache"),
       turns(
           "loops.<loop>.turns_per_test",
           "Conditions are looked at after this many turns; the loop ends at the turn at which its condition "
           "first held all the same"),
       {.name = "loops.<loop>.test",
        .type = deck::ValueType::choice,
        .help = "Whether the ranks wait until they agree on a turn or a round (waits), or compute the next "
                "one meanwhile (overlaps), which is dropped if the loop ends",
        .default_text = "waits",
        .choices = {"waits", "overlaps"}}});
}

LoopSchedule loop_schedule(const deck::Deck& deck, const std::string& name) {
  const auto turns = [&](const char* what) {
    return static_cast<int>(deck.get<std::int64_t>("loops." + name + "." + what));
  };
  return {turns("turns_per_exchange"), turns("turns_per_tile"), turns("turns_per_test"),
          deck.get<std::string>("loops." + name + ".test") == "overlaps"};
}

/// Returns the name of the stage that a stage belongs to, if a deck may schedule it, and else a null
/// pointer.
const std::string* stage_around(const ScheduleNames& names, const std::string& stage) {
  const auto found = names.within.find(stage);
  if (found == names.within.end()) return nullptr;
  for (const auto* list : {&names.stages, &names.reductions, &names.outputs})
    if (std::ranges::find(*list, found->second) != list->end()) return &found->second;
  return nullptr;
}

/// Returns whether a stage can have the placement that a deck gives for the stage that it belongs to.
bool may_be(const ScheduleNames& names, const std::string& stage, Placement placement) {
  if (placement == Placement::automatic || placement == Placement::distributed) return true;
  return !names.owned.contains(stage) &&
         !(placement == Placement::replicated && names.periodic.contains(stage));
}

/// Declares a key for these stages, or for all stages if the names follow (see ScheduleNames::follow). The
/// key has no default for stages that belong to others.
void declare_for(deck::Schema& schema, const ScheduleNames& names, const std::vector<std::string>& stages,
                 deck::KeyDeclaration key) {
  std::vector<std::string> inner;
  for (const std::string& stage : stages)
    (stage_around(names, stage) == nullptr ? key.only : inner).push_back(stage);
  if (names.follow || !key.only.empty()) schema.add(schedule_group, {key});
  if (inner.empty()) return;
  key.only = inner;
  key.default_text.reset();
  key.help += "; without it, as the step that the stage belongs to";
  schema.add(schedule_group, {key});
}

/// Declares the keys about all grids, and about the whole schedule.
void declare_grid_keys(deck::Schema& schema) {
  const auto choice = [](const char* name, const char* help, const std::vector<std::string>& choices) {
    return deck::KeyDeclaration{.name = name,
                                .type = deck::ValueType::choice,
                                .help = help,
                                .default_text = choices.front(),
                                .choices = choices};
  };
  schema.add(
      schedule_group,
      {{.name = "grid",
        .type = deck::ValueType::grid,
        .help = "Ranks per dimension, x first; each auto is chosen so that they multiply to the rank "
                "count, or to less where ranks may be idle",
        .default_text = "[1, auto]"},
       choice("idle",
              "Whether a grid may have fewer ranks than there are, so that the last ranks own nothing",
              {"refused", "allowed"}),
       {.name = "order",
        .type = deck::ValueType::choices,
        .help = "The order of dimensions in which ranks are placed in a grid: neighbours in number are "
                "neighbours along the first one; dimensions that are left out follow",
        .default_text = "[x]",
        .choices = dimension_names},
       choice("slices",
              "Slices of equal size except the last (ceil), or whose sizes differ by at most one point "
              "(balanced)",
              {"ceil", "balanced"}),
       choice("overlap",
              "Whether the inside of a block is computed while messages are under way; auto: where blocks "
              "are large",
              {"auto", "on", "off"}),
       choice("levels",
              "Grids of single ranks (flat), or of nodes, then of NUMA domains, then of ranks (machine)",
              {"flat", "machine"})});
}

/// Returns the keys of a computed stage except `compute` and `grid`.
std::vector<deck::KeyDeclaration> keys_of_stages() {
  using deck::ValueType;
  return {{.name = "schedule.<stage>.align",
           .type = ValueType::choice,
           .help = "Blocks that follow those of the stage's consumers (consumer), or slices of all its "
                   "points (own), where it needs a large margin",
           .default_text = "consumer",
           .choices = {"consumer", "own"}},
          {.name = "schedule.<stage>.tile",
           .type = ValueType::tile,
           .help = "Points of a tile per dimension, x first",
           .default_text = "auto",
           .unit = "points"},
          {.name = "schedule.<stage>.inner",
           .type = ValueType::tile,
           .help = "Points of an inner tile per dimension, x first; a thread computes the inner tiles of a "
                   "tile in order, along y first; auto: some rows, if a stage in its tiles is window or "
                   "outer_tile",
           .default_text = "auto",
           .unit = "points"}};
}

deck::KeyDeclaration compute_key(const std::string& default_compute) {
  return {.name = "schedule.<stage>.compute",
          .type = deck::ValueType::choice,
          .help =
              "Every point once by its owner (distributed), what each rank needs (rank), all of it on "
              "every rank (replicated), or in scratch inside each tile of its consumer: inner tile by "
              "inner tile (tile), with the rows kept that the inner tile before computed (window), or "
              "once for all inner tiles (outer_tile); auto: distributed, tile or window, whichever is "
              "estimated to be fastest; an output, or what is reduced globally, is distributed or auto",
          .default_text = default_compute,
          .choices = {"distributed", "rank", "replicated", "tile", "window", "outer_tile", "auto"}};
}

}  // namespace

ScheduleNames schedule_names(const Algorithm& pipeline) {
  ScheduleNames names;
  for (const ArrayDeclaration& stage : pipeline.arrays()) {
    if (stage.is_further_output() || (stage.is_value() && !stage.is_output)) continue;
    auto& list = stage.is_input()       ? names.inputs
                 : stage.is_output      ? names.outputs
                 : stage.is_reduction() ? names.reductions
                                        : names.stages;
    list.push_back(stage.name);
  }
  for (const LoopDeclaration& loop : pipeline.loops()) names.loops.push_back(loop.name);
  return names;
}

void add_names(ScheduleNames& names, const Algorithm& pipeline) {
  const ScheduleNames more = schedule_names(pipeline);
  const std::vector<std::string> known =
      joined(joined(names.inputs, names.stages), joined(names.reductions, names.outputs));
  for (const auto* list : {&more.stages, &more.reductions, &more.outputs})
    for (const std::string& name : *list)
      if (std::ranges::find(known, name) == known.end()) names.stages.push_back(name);
  for (const std::string& name : more.loops)
    if (std::ranges::find(names.loops, name) == names.loops.end()) names.loops.push_back(name);
}

ScheduleNames common_names(ScheduleNames names, const Algorithm& pipeline) {
  const auto keep_arrays = [&pipeline](std::vector<std::string>& list, bool are_inputs) {
    std::erase_if(list, [&](const std::string& name) {
      return std::ranges::none_of(pipeline.arrays(), [&](const ArrayDeclaration& array) {
        return array.name == name && array.is_input() == are_inputs;
      });
    });
  };
  keep_arrays(names.inputs, true);
  for (auto* list : {&names.stages, &names.reductions, &names.outputs}) keep_arrays(*list, false);
  std::erase_if(names.loops, [&pipeline](const std::string& name) {
    return std::ranges::none_of(pipeline.loops(),
                                [&name](const LoopDeclaration& loop) { return loop.name == name; });
  });
  for (const ArrayDeclaration& array : pipeline.arrays()) {
    if (array.is_output || array.is_reduction() ||
        !reason_against_ghosts(pipeline.arrays(), array.lead).empty())
      names.owned.insert(array.name);
    if (array.is_bounded() && array.has_periodic_side()) names.periodic.insert(array.name);
  }
  return names;
}

void declare_schedule_keys(deck::Schema& schema, const ScheduleNames& names) {
  const std::vector<std::string> owned = joined(names.reductions, names.outputs);
  const std::vector<std::string> computed = joined(names.stages, owned);
  if (names.follow)
    schema.names_follow("stage").names_follow("loop");
  else
    schema.names("stage", joined(names.inputs, computed)).names("loop", names.loops);
  declare_grid_keys(schema);
  deck::KeyDeclaration compute = compute_key(names.default_compute);
  declare_for(schema, names, names.stages, compute);
  compute.choices = {"distributed", "auto"};
  if (!names.follow) declare_for(schema, names, owned, compute);
  schema.add(schedule_group, {{.name = "schedule.<stage>.grid",
                               .type = deck::ValueType::grid,
                               .help = "The grid of this stage or input; without it, the common grid"}});
  for (const deck::KeyDeclaration& key : keys_of_stages()) declare_for(schema, names, computed, key);
  declare_loop_keys(schema);
}

Schedule schedule_from_deck(const deck::Deck& deck, const ScheduleNames& names, bool device) {
  Schedule schedule;
  schedule.grid = to_request(deck, "grid");
  const auto& overlap = deck.get<std::string>("overlap");
  schedule.overlap = overlap == "on" ? Overlap::on : overlap == "off" ? Overlap::off : Overlap::automatic;
  schedule.slicing = deck.get<std::string>("slices") == "balanced" ? Slicing::balanced : Slicing::ceil;
  const std::vector<std::string> computed = joined(names.stages, joined(names.reductions, names.outputs));
  // Returns the key of a stage, or that of the stage that it belongs to, if the deck does not give the key.
  const auto key_of = [&](const std::string& name, const char* what) {
    const std::string* const other =
        deck.is_set(key_of_stage(name, what)) ? nullptr : stage_around(names, name);
    return key_of_stage(other == nullptr ? name : *other, what);
  };
  for (const std::string& name : joined(names.inputs, computed)) {
    StageSchedule& stage = schedule.stages[name];
    if (const std::string grid = key_of(name, "grid"); deck.is_set(grid)) stage.grid = to_request(deck, grid);
  }
  for (const std::string& name : computed) {
    StageSchedule& stage = schedule.stages[name];
    stage.align_own = deck.get<std::string>(key_of(name, "align")) == "own";
    const std::string compute = key_of(name, "compute");
    stage.placement = to_placement(deck.get<std::string>(compute));
    if (compute != key_of_stage(name, "compute") && !may_be(names, name, stage.placement))
      stage.placement = Placement::distributed;
    const auto& tile = deck.get<deck::TileValue>(key_of(name, "tile"));
    stage.tile = device ? tile.device : tile.host;
    const auto& inner = deck.get<deck::TileValue>(key_of(name, "inner"));
    stage.inner = device ? inner.device : inner.host;
  }
  for (const std::string& name : names.loops) schedule.loops[name] = loop_schedule(deck, name);
  return schedule;
}

}  // namespace tessera::app
