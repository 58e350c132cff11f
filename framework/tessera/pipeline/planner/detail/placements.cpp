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
  if (declaration.reduction != nullptr) return {"global reduction", "each rank contributes its points once"};
  if (std::string reason = reason_against_ghosts(pipeline.arrays(), declaration.lead); !reason.empty())
    return {"bounded stage", std::move(reason)};
  for (ArrayId part : pipeline.parts(id))
    if (pipeline[part].is_output) return {"output", "its owners write it"};
  if (changes_places(pipeline, id)) return {"iterate", "its owners keep it for the next turn"};
  return {};
}

/// Returns a consumer with which stage `id` cannot be computed in tiles, because a loop begins or ends
/// between the two. They must be computed in the same turns. The result is no_array if there is no such
/// consumer.
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
  return !pipeline[id].is_value && kind_and_reason(pipeline, id).first.empty() &&
         consumer_in_other_turns(pipeline, id) == no_array;
}

Placement settled_placement(const Algorithm& pipeline, const Schedule& schedule, ArrayId id) {
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

void check_outer_tiles(const Algorithm& pipeline, const IdVector<ArrayId, ScheduledArray>& arrays) {
  const auto placement = [&](ArrayId id) { return arrays[id].placement; };
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

class ContributionFinder {
 public:
  ContributionFinder(const Algorithm& pipeline, const Schedule& schedule, const Window& window,
                     const SwapGroups& swap_groups, IdVector<ArrayId, ScheduledArray>& arrays)
      : pipeline_(pipeline),
        schedule_(schedule),
        window_(window),
        swap_groups_(swap_groups),
        arrays_(arrays) {}

  void settle() {
    settle_reductions();
    settle_stages_of_no_tile();
    settle_only_reduced();
  }

 private:
  void settle_reductions();
  /// Finds stages in tiles that only reductions read, and enters each into the list of stages that are
  /// computed in the tiles of another stage.
  void settle_stages_of_no_tile();
  void settle_only_reduced();
  bool can_contribute(ArrayId reduction) const;
  /// Returns the stage in whose tiles a stage is computed, if there is exactly one and the ranks own
  /// the same points of both stages; otherwise no_array. A stage that only reductions read is computed in the
  /// same tiles as its inputs.
  ArrayId root_of_tiles(ArrayId stage) const;
  /// Returns the stages in whose tiles a stage is computed. Reductions are left out.
  std::vector<ArrayId> roots_of(ArrayId stage) const;
  ScheduledArray& array(ArrayId id) { return arrays_[id]; }
  const ScheduledArray& array(ArrayId id) const { return arrays_[id]; }

  const Algorithm& pipeline_;
  const Schedule& schedule_;
  const Window& window_;
  const SwapGroups& swap_groups_;
  IdVector<ArrayId, ScheduledArray>& arrays_;
};

bool ContributionFinder::can_contribute(ArrayId reduction) const {
  const ArrayDeclaration& declaration = pipeline_[reduction];
  const ArrayId reduced = declaration.inputs.front();
  const ArrayId stage = pipeline_[reduced].lead;
  if (pipeline_[stage].is_input() || pipeline_[stage].is_everywhere()) return false;
  if (declaration.reduction->takes_whole_boxes()) return false;
  // If the schedule has keys of this reduction, the reduction is scheduled as they say.
  if (const auto found = schedule_.stages.find(declaration.name); found != schedule_.stages.end())
    if (!found->second.is_default()) return false;
  // In another turn, or after a loop that feeds the array, the array would have other points.
  const bool is_fed_later = std::ranges::any_of(pipeline_.loops(), [reduced](const LoopDeclaration& loop) {
    return reduced < loop.first && loop.feed_to(reduced) != nullptr;
  });
  if (pipeline_.loop_of(stage) != pipeline_.loop_of(reduction) || is_fed_later) return false;
  if (window_.is_left_out(pipeline_, reduction) ||
      !array(stage).distribution.domain().contains(window_.wanted(pipeline_, reduction)))
    return false;
  if (!is_in_tiles(array(stage).placement)) return true;
  const ArrayId root = root_of_tiles(stage);
  return stage < root && root < reduction;
}

std::vector<ArrayId> ContributionFinder::roots_of(ArrayId stage) const {
  std::vector<ArrayId> roots = readers_through_tiles(
      pipeline_, stage, [this](ArrayId id) -> const std::vector<ArrayId>& { return array(id).consumers; },
      [this](ArrayId id) { return is_in_tiles(array(id).placement); });
  std::erase_if(roots, [this](ArrayId reader) { return pipeline_[reader].reduction != nullptr; });
  return roots;
}

ArrayId ContributionFinder::root_of_tiles(ArrayId stage) const {
  std::vector<ArrayId> roots = roots_of(stage);
  if (roots.empty())
    for (ArrayId input : pipeline_[stage].inputs)
      if (is_in_tiles(array(input).placement))
        for (ArrayId root : roots_of(pipeline_[input].lead))
          if (std::ranges::find(roots, root) == roots.end()) roots.push_back(root);
  if (roots.size() != 1) return no_array;
  const ScheduledArray &root = array(roots.front()), &tile = array(stage);
  const BlockDistribution &owners = root.distribution, &same = tile.distribution;
  const bool owns_the_same = owners.domain() == same.domain() && owners.nominal() == same.nominal() &&
                             owners.grid() == same.grid() && owners.slicing() == same.slicing();
  return root.placement == Placement::distributed && owns_the_same ? roots.front() : no_array;
}

void ContributionFinder::settle_reductions() {
  for (ArrayId id : pipeline_.ids()) {
    if (pipeline_[id].reduction == nullptr || !can_contribute(id)) continue;
    const ArrayId stage = pipeline_[pipeline_[id].inputs.front()].lead;
    array(id).contributed_by = stage;
    ScheduledArray& settled = array(stage);
    settled.contributes.push_back(id);
    settled.contributes_in = is_in_tiles(settled.placement) ? root_of_tiles(stage) : stage;
  }
}

void ContributionFinder::settle_stages_of_no_tile() {
  for (ArrayId id : pipeline_.ids()) {
    const ScheduledArray& stage = array(id);
    if (stage.contributes_in == no_array || stage.contributes_in == id) continue;
    if (roots_of(id).empty()) array(stage.contributes_in).computed_in_its_tiles.push_back(id);
  }
}

void ContributionFinder::settle_only_reduced() {
  for (ArrayId id : pipeline_.ids()) {
    ScheduledArray& stage = array(id);
    const ArrayDeclaration& declaration = pipeline_[id];
    stage.is_only_reduced =
        !declaration.is_input() && !declaration.is_output && !declaration.is_bounded &&
        !is_in_tiles(stage.placement) && swap_groups_.of(id).empty() && !stage.consumers.empty() &&
        std::ranges::all_of(stage.consumers,
                            [this](ArrayId consumer) { return array(consumer).contributed_by != no_array; });
  }
}

}  // namespace

void settle_contributions(const Algorithm& pipeline, const Schedule& schedule, const Window& window,
                          const SwapGroups& swap_groups, IdVector<ArrayId, ScheduledArray>& arrays) {
  ContributionFinder(pipeline, schedule, window, swap_groups, arrays).settle();
}

}  // namespace tessera
