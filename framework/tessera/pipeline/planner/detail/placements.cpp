// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/planner/detail/placements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tessera/domain/error.hpp"
#include "tessera/pipeline/algorithm/periodic_sides.hpp"

namespace tessera {
namespace {

bool reads(const Algorithm& pipeline, int consumer, int array) {
  return std::ranges::find(pipeline[consumer].inputs, array) != pipeline[consumer].inputs.end();
}

/// Whether a loop feeds an output of the stage to another array, or another array to an output of the stage.
bool changes_places(const Algorithm& pipeline, int stage) {
  return std::ranges::any_of(pipeline.parts(stage), [&](int part) {
    return std::ranges::any_of(pipeline.loops(), [part](const LoopDeclaration& loop) {
      return loop.feed_to(part) != nullptr || loop.feed_from(part) != nullptr;
    });
  });
}

/// Returns the kind of a stage or input that can only be distributed, and the reason why it can only be
/// distributed. Both are empty for other stages.
std::pair<std::string, std::string> kind_and_reason(const Algorithm& pipeline, int id) {
  const ArrayDeclaration& declaration = pipeline[id];
  if (declaration.is_input()) return {"input", "its owners read it"};
  if (declaration.reduction != nullptr) return {"global reduction", "each rank contributes its points once"};
  if (std::string reason = reason_against_ghosts(pipeline.arrays(), declaration.lead); !reason.empty())
    return {"bounded stage", std::move(reason)};
  for (int part : pipeline.parts(id))
    if (pipeline[part].is_output) return {"output", "its owners write it"};
  if (changes_places(pipeline, id)) return {"iterate", "its owners keep it for the next turn"};
  return {};
}

/// Returns a consumer with which stage `id` cannot be computed in tiles, because a loop begins or ends
/// between the two. They must be computed in the same turns. The result is -1 if there is no such consumer.
int consumer_in_other_turns(const Algorithm& pipeline, int id) {
  // A loop between the stage and the consumer may have changed arrays that the stage reads.
  const auto is_between = [&](const LoopDeclaration& loop, int consumer) {
    return id < loop.first && loop.last <= consumer;
  };
  for (int part : pipeline.parts(id))
    for (int consumer = part + 1; consumer < pipeline.size(); ++consumer)
      if (reads(pipeline, consumer, part) && (pipeline.loop_of(consumer) != pipeline.loop_of(id) ||
                                              std::ranges::any_of(pipeline.loops(), [&](const auto& loop) {
                                                return is_between(loop, consumer);
                                              })))
        return consumer;
  return -1;
}

void check_loop_of_consumers(const Algorithm& pipeline, int id, Placement wanted) {
  const int consumer = consumer_in_other_turns(pipeline, id);
  if (consumer < 0) return;
  throw ScheduleError(
      fmt::format("schedule.{}.compute", pipeline[id].name),
      fmt::format("'{}' cannot be '{}', as a loop begins or ends between it and '{}', which reads it: "
                  "'distributed', 'rank' and 'replicated' are legal",
                  pipeline[id].name, name_of(wanted), pipeline[consumer].name));
}

}  // namespace

bool may_be_in_tiles(const Algorithm& pipeline, int id) {
  return !pipeline[id].is_value && kind_and_reason(pipeline, id).first.empty() &&
         consumer_in_other_turns(pipeline, id) < 0;
}

Placement settled_placement(const Algorithm& pipeline, const Schedule& schedule, int id) {
  const ArrayDeclaration& declaration = pipeline[id];
  const auto found = schedule.stages.find(declaration.name);
  const Placement wanted = found == schedule.stages.end() ? Placement::distributed : found->second.placement;
  if (declaration.is_value) {
    if (wanted == Placement::distributed || wanted == Placement::replicated || wanted == Placement::automatic)
      return Placement::replicated;
    throw ScheduleError(fmt::format("schedule.{}.compute", declaration.name),
                        fmt::format("the value '{}' cannot be '{}': every rank computes it for itself",
                                    declaration.name, name_of(wanted)));
  }
  if (wanted == Placement::distributed || wanted == Placement::automatic) return Placement::distributed;
  if (is_in_tiles(wanted)) check_loop_of_consumers(pipeline, id, wanted);
  auto [kind, reason] = kind_and_reason(pipeline, id);
  if (kind.empty() && wanted == Placement::replicated && declaration.is_bounded &&
      declaration.has_periodic_side()) {
    kind = "bounded stage";
    reason = "it has a periodic side, beyond which ranks need more than its domain";
  }
  if (!kind.empty()) {
    throw ScheduleError(fmt::format("schedule.{}.compute", declaration.name),
                        fmt::format("the {} '{}' cannot be '{}', only 'distributed': {}", kind,
                                    declaration.name, name_of(wanted), reason));
  }
  return wanted;
}

void check_outer_tiles(const Algorithm& pipeline, const std::vector<ScheduledArray>& arrays) {
  const auto placement = [&](int id) { return arrays[static_cast<std::size_t>(id)].placement; };
  for (int id = 0; id < pipeline.size(); ++id)
    for (int input : pipeline[pipeline[id].lead].inputs)
      if (placement(id) == Placement::outer_tile && is_in_tiles(placement(input)) &&
          placement(input) != Placement::outer_tile) {
        const std::string& name = pipeline[pipeline[id].lead].name;
        const std::string& read = pipeline[pipeline[input].lead].name;
        throw ScheduleError(
            fmt::format("schedule.{}.compute", name),
            fmt::format("'{}' cannot be 'outer_tile', as it reads '{}', which is '{}' and computed later, in "
                        "inner tiles: make '{}' 'outer_tile', too, or '{}' 'tile'",
                        name, read, name_of(placement(input)), read, name));
      }
}

}  // namespace tessera
