// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/planner/detail/placements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tessera/domain/error.hpp"
#include "tessera/pipeline/algorithm/declarations.hpp"
#include "tessera/pipeline/planner/tiling.hpp"

namespace tessera {
namespace {

bool reads(const Algorithm& pipeline, ArrayId consumer, ArrayId array) {
  return std::ranges::find(pipeline[consumer].inputs, array) != pipeline[consumer].inputs.end();
}

/// Whether a loop feeds an output of the stage to another array, or another array to an output of the stage.
bool changes_places(const Algorithm& pipeline, ArrayId stage) {
  return std::ranges::any_of(pipeline.parts(stage), [&](ArrayId part) {
    return std::ranges::any_of(pipeline.loops(), [part](const LoopDeclaration& loop) {
      return loop.feed_to(part) != nullptr || loop.feed_from(part) != nullptr;
    });
  });
}

/// Returns the kind of a stage or input that can only be distributed, and the reason why it can only be
/// distributed. Both are empty for other stages.
std::pair<std::string, std::string> kind_and_reason(const Algorithm& pipeline, ArrayId id) {
  const ArrayDeclaration& declaration = pipeline[id];
  if (declaration.is_input()) return {"input", "its owners read it"};
  if (declaration.is_reduction()) return {"global reduction", "each rank contributes its points once"};
  if (std::string reason = reason_against_ghosts(pipeline.arrays(), declaration.lead); !reason.empty())
    return {"bounded stage", std::move(reason)};
  for (ArrayId part : pipeline.parts(id))
    if (pipeline[part].is_output) return {"output", "its owners write it"};
  if (changes_places(pipeline, id)) return {"iterate", "its owners keep it for the next turn"};
  return {};
}

/// Returns a consumer whose tiles cannot compute stage `id`, because a loop begins or ends between the stage
/// and the consumer. Stages in the same tiles must be computed in the same turns. Returns no_array if all
/// consumers can compute the stage in their tiles.
ArrayId consumer_in_other_turns(const Algorithm& pipeline, ArrayId id) {
  // A loop between the stage and the consumer may have changed arrays that the stage reads.
  const auto is_between = [&](const LoopDeclaration& loop, ArrayId consumer) {
    return id < loop.first && loop.last <= consumer;
  };
  for (ArrayId part : pipeline.parts(id))
    for (ArrayId consumer : IdRange(part + 1, ArrayId{pipeline.size()}))
      if (reads(pipeline, consumer, part) && (pipeline.loop_of(consumer) != pipeline.loop_of(id) ||
                                              std::ranges::any_of(pipeline.loops(), [&](const auto& loop) {
                                                return is_between(loop, consumer);
                                              })))
        return consumer;
  return no_array;
}

void check_loop_of_consumers(const Algorithm& pipeline, ArrayId id, Placement wanted) {
  const ArrayId consumer = consumer_in_other_turns(pipeline, id);
  if (consumer == no_array) return;
  throw ScheduleError(
      fmt::format("schedule.{}.compute", pipeline[id].name),
      fmt::format("'{}' cannot be '{}', as a loop begins or ends between it and '{}', which reads it: "
                  "'distributed', 'rank' and 'replicated' are legal",
                  pipeline[id].name, name_of(wanted), pipeline[consumer].name));
}

}  // namespace

bool may_be_in_tiles(const Algorithm& pipeline, ArrayId id) {
  return !pipeline[id].is_value() && kind_and_reason(pipeline, id).first.empty() &&
         consumer_in_other_turns(pipeline, id) == no_array;
}

Placement settled_placement(const Algorithm& pipeline, const Schedule& schedule, ArrayId id) {
  const ArrayDeclaration& declaration = pipeline[id];
  const Placement wanted = schedule.stage(declaration.name).placement;
  if (declaration.is_value()) {
    if (wanted == Placement::distributed || wanted == Placement::replicated || wanted == Placement::automatic)
      return Placement::replicated;
    throw ScheduleError(fmt::format("schedule.{}.compute", declaration.name),
                        fmt::format("the value '{}' cannot be '{}': every rank computes it for itself",
                                    declaration.name, name_of(wanted)));
  }
  if (wanted == Placement::distributed || wanted == Placement::automatic) return Placement::distributed;
  if (is_in_tiles(wanted)) check_loop_of_consumers(pipeline, id, wanted);
  auto [kind, reason] = kind_and_reason(pipeline, id);
  if (kind.empty() && wanted == Placement::replicated && declaration.is_bounded() &&
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

void check_outer_tiles(const ScheduledPipeline& scheduled) {
  const Algorithm& pipeline = scheduled.pipeline();
  const auto placement = [&](ArrayId id) { return scheduled[id].placement; };
  for (ArrayId id : pipeline.ids())
    for (ArrayId input : pipeline[pipeline[id].lead].inputs)
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

namespace {

/// Returns the stages in whose tiles a stage is computed.
std::vector<ArrayId> roots_of(const ScheduledPipeline& scheduled, ArrayId stage) {
  std::vector<ArrayId> roots = readers_through_tiles(scheduled, stage, is_in_tiles);
  std::erase_if(roots, [&](ArrayId reader) { return scheduled.pipeline()[reader].is_reduction(); });
  return roots;
}

/// Returns the stage in whose tiles a stage is computed, if there is exactly one and the ranks own
/// the same points of both stages; otherwise no_array. A stage that only reductions read is computed in the
/// same tiles as its inputs.
ArrayId root_of_tiles(const ScheduledPipeline& scheduled, ArrayId stage) {
  const Algorithm& pipeline = scheduled.pipeline();
  std::vector<ArrayId> roots = roots_of(scheduled, stage);
  if (roots.empty())
    for (ArrayId input : pipeline[stage].inputs)
      if (is_in_tiles(scheduled[input].placement))
        for (ArrayId root : roots_of(scheduled, pipeline[input].lead))
          if (std::ranges::find(roots, root) == roots.end()) roots.push_back(root);
  if (roots.size() != 1) return no_array;
  const BlockDistribution &a = scheduled[roots.front()].distribution, &b = scheduled[stage].distribution;
  const bool have_same_owners = a.domain() == b.domain() && a.nominal() == b.nominal() &&
                                a.grid() == b.grid() && a.slicing() == b.slicing();
  return scheduled[roots.front()].placement == Placement::distributed && have_same_owners ? roots.front()
                                                                                          : no_array;
}

/// Whether a stage can contribute its points to a reduction tile by tile.
bool can_contribute(const ScheduledPipeline& scheduled, const Schedule& schedule, ArrayId reduction) {
  const Algorithm& pipeline = scheduled.pipeline();
  const ArrayDeclaration& declaration = pipeline[reduction];
  const ArrayId reduced = declaration.inputs.front();
  const ArrayId stage = pipeline[reduced].lead;
  if (pipeline[stage].is_input() || pipeline[stage].is_everywhere()) return false;
  if (declaration.reduction()->takes_whole_boxes()) return false;
  // A reduction with keys of its own in the schedule is computed as these keys say.
  if (!schedule.stage(declaration.name).is_default()) return false;
  // In another turn, or after a loop that feeds the array, the array would have other points.
  const bool is_fed_later = std::ranges::any_of(pipeline.loops(), [reduced](const LoopDeclaration& loop) {
    return reduced < loop.first && loop.feed_to(reduced) != nullptr;
  });
  if (pipeline.loop_of(stage) != pipeline.loop_of(reduction) || is_fed_later) return false;
  if (scheduled.window().is_left_out(pipeline, reduction) ||
      !scheduled[stage].distribution.domain().contains(scheduled.wanted(reduction)))
    return false;
  if (!is_in_tiles(scheduled[stage].placement)) return true;
  const ArrayId root = root_of_tiles(scheduled, stage);
  return stage < root && root < reduction;
}

/// Whether an array need not be kept, because only reductions read it, and they take its points tile by tile.
bool is_only_reduced(const ScheduledPipeline& scheduled, ArrayId id) {
  const ScheduledArray& stage = scheduled[id];
  const ArrayDeclaration& declaration = scheduled.pipeline()[id];
  return !declaration.ends_at_domain() && !declaration.is_output && !is_in_tiles(stage.placement) &&
         scheduled.swap_groups().of(id).empty() && !stage.consumers.empty() &&
         std::ranges::all_of(stage.consumers, [&](ArrayId consumer) {
           return scheduled[consumer].contributed_by != no_array;
         });
}

}  // namespace

void settle_contributions(ScheduledPipeline& scheduled, const Schedule& schedule) {
  const Algorithm& pipeline = scheduled.pipeline();
  for (ArrayId id : pipeline.ids()) {
    if (!pipeline[id].is_reduction() || !can_contribute(scheduled, schedule, id)) continue;
    const ArrayId lead = pipeline[pipeline[id].inputs.front()].lead;
    scheduled[id].contributed_by = lead;
    ScheduledArray& stage = scheduled[lead];
    stage.contributes.push_back(id);
    if (stage.contributes_in != no_array) continue;
    stage.contributes_in = is_in_tiles(stage.placement) ? root_of_tiles(scheduled, lead) : lead;
    if (stage.contributes_in != lead && roots_of(scheduled, lead).empty())
      scheduled[stage.contributes_in].computed_in_its_tiles.push_back(lead);
  }
  for (ArrayId id : pipeline.ids()) scheduled[id].is_only_reduced = is_only_reduced(scheduled, id);
}

}  // namespace tessera
