// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/planner/scheduled_pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "tessera/domain/corners.hpp"
#include "tessera/pipeline/planner/tiling.hpp"

namespace tessera {
namespace {

const StageSchedule* find_stage(const Schedule& schedule, const std::string& name) {
  const auto found = schedule.stages.find(name);
  return found == schedule.stages.end() ? nullptr : &found->second;
}

using Lines = std::array<bool, max_dimensions>;

/// Nobody may have a part of a line: its place in a grid for all stages goes to a dimension that has none, or
/// all ranks to the last one that may be cut.
void keep_lines_whole(const Lines& has_lines, std::size_t dimensions, std::vector<int>& entries) {
  for (std::size_t line = 0; line < std::min(entries.size(), dimensions); ++line) {
    if (!has_lines[line] || entries[line] == 1) continue;
    entries.resize(dimensions, 1);
    if (const auto free = std::find(entries.begin(), entries.end(), 1); free != entries.end()) {
      std::iter_swap(entries.begin() + static_cast<std::ptrdiff_t>(line), free);
    } else {
      std::fill(entries.begin(), entries.end(), 1);
      entries[line + 1 == entries.size() ? line - 1 : entries.size() - 1] = 0;
    }
  }
}

/// In a grid of the stage's own `auto` may mean 1 along lines.
void choose_auto_off_lines(const Lines& has_lines, std::vector<int>& entries) {
  for (std::size_t line = 0; line < std::min(entries.size(), has_lines.size()); ++line)
    if (has_lines[line] && entries[line] == 0 && std::count(entries.begin(), entries.end(), 0) > 1)
      entries[line] = 1;
}

bool is_bounded(const Box& box) {
  for (int d = 0; d < box.dimensions; ++d)
    if (box[d].begin <= std::numeric_limits<int>::lowest() || box[d].end > std::numeric_limits<int>::max())
      return false;
  return true;
}

/// What can only be distributed, and why; nothing for other stages.
std::pair<const char*, const char*> kind_and_reason(const Algorithm& pipeline, int id, bool is_fed) {
  const ArrayDeclaration& declaration = pipeline[id];
  if (declaration.is_input()) return {"input", "its owners read it"};
  if (declaration.reduction != nullptr) return {"global reduction", "each rank contributes its points once"};
  if (declaration.is_bounded && declaration.has_periodic_side())
    return {"bounded stage", "it has a periodic side, beyond which lies what other ranks own"};
  for (int part = id; part < id + declaration.output_count; ++part)
    if (pipeline[part].is_output) return {"output", "its owners write it"};
  if (is_fed) return {"iterate", "its owners keep it for the next turn"};
  return {nullptr, nullptr};
}

}  // namespace

ScheduledPipeline::ScheduledPipeline(const Algorithm& pipeline, const Schedule& schedule,
                                     const Target& target, int rank_count, Window window)
    : pipeline_(&pipeline),
      target_(target),
      window_(std::move(window)),
      overlap_(schedule.overlap),
      rank_count_(rank_count),
      stages_(static_cast<std::size_t>(pipeline.size())) {
  check_names(schedule);
  for (int id = 0; id < size(); ++id) {
    Stage& stage = stages_[static_cast<std::size_t>(id)];
    stage.first_need = total_inputs_;
    stage.dimensions =
        pipeline[id].reduction != nullptr ? pipeline[id].reduced.dimensions : pipeline[id].dimensions;
    for (int input : pipeline[id].inputs) {
      auto& consumers = stages_[static_cast<std::size_t>(input)].consumers;
      if (consumers.empty() || consumers.back() != id) consumers.push_back(id);
      ++total_inputs_;
    }
  }
  find_families();
  std::vector<Box> domains(stages_.size()), nominals(stages_.size());
  settle_domains(domains, nominals);
  check_fed(domains);
  GridChoices grids(rank_count, grid_target(schedule, domains));
  for (int id = size() - 1; id >= 0; --id) {
    const auto i = static_cast<std::size_t>(id);
    const auto lead = static_cast<std::size_t>(pipeline[id].lead);
    stages_[i].placement = settle_placement(static_cast<int>(lead), schedule);
    settle_tile(id, schedule);
    // The stages that read any output of a stage decide on its blocks: they are settled before the first.
    if (i == lead) settle_distribution(id, schedule, grids, domains[i], nominals[i]);
  }
  for (Stage& stage : stages_) {
    const int id = static_cast<int>(&stage - stages_.data());
    if (pipeline[id].is_further_output) stage.distribution = (*this)[pipeline[id].lead].distribution;
  }
  number_grids();
  if (target.device)
    settle_groups();
  else
    settle_contributions(schedule);
  settle_storage();
}

void ScheduledPipeline::check_names(const Schedule& schedule) const {
  for (const auto& [name, loop] : schedule.loops)
    if (loop.turns() > 1)
      throw InternalError(fmt::format("the loop '{}' should have {} turns in a round: call in_rounds first",
                                      name, loop.turns()));
  for (const auto& [name, stage] : schedule.stages) {
    const ArrayDeclaration* known = nullptr;
    for (const ArrayDeclaration& declaration : pipeline_->arrays())
      if (declaration.name == name) known = &declaration;
    if (known == nullptr)
      throw ScheduleError("schedule." + name, fmt::format("the pipeline has no stage or input '{}'", name));
    if (known->is_further_output && !stage.is_default())
      throw ScheduleError("schedule." + name,
                          fmt::format("'{}' is computed together with '{}': schedule that instead", name,
                                      (*pipeline_)[known->lead].name));
  }
}

Placement ScheduledPipeline::settle_placement(int id, const Schedule& schedule) const {
  const ArrayDeclaration& declaration = (*pipeline_)[id];
  const StageSchedule* found = find_stage(schedule, declaration.name);
  const Placement wanted = found == nullptr ? Placement::distributed : found->placement;
  if (declaration.is_value) {
    if (wanted == Placement::distributed || wanted == Placement::replicated) return Placement::replicated;
    throw ScheduleError(fmt::format("schedule.{}.compute", declaration.name),
                        fmt::format("the value '{}' cannot be '{}': every rank computes it for itself",
                                    declaration.name, name_of(wanted)));
  }
  if (wanted == Placement::distributed) return wanted;
  if (wanted == Placement::tile) check_loop_of_consumers(id);
  bool is_fed = false;
  for (int part = id; part < id + declaration.output_count; ++part) is_fed = is_fed || !family(part).empty();
  const auto [kind, reason] = kind_and_reason(*pipeline_, id, is_fed);
  if (kind != nullptr) {
    throw ScheduleError(fmt::format("schedule.{}.compute", declaration.name),
                        fmt::format("the {} '{}' cannot be '{}', only 'distributed': {}", kind,
                                    declaration.name, name_of(wanted), reason));
  }
  return wanted;
}

void ScheduledPipeline::required_of(int id, const Box& box, Box* needs) const {
  const ArrayDeclaration& declaration = (*pipeline_)[id];
  if (box.empty()) {
    for (std::size_t i = 0; i < declaration.inputs.size(); ++i)
      needs[i] = no_points((*pipeline_)[declaration.inputs[i]].dimensions);
    return;
  }
  try {
    declaration.kernel->required(box, needs);
  } catch (const InternalError& error) {
    throw InternalError(fmt::format("stage '{}': {}", declaration.name, error.what()));
  }
  for (std::size_t i = 0; i < declaration.inputs.size(); ++i)
    if (!needs[i].empty() && !is_bounded(needs[i]))
      throw InternalError(
          fmt::format("stage '{}' reads '{}' at an index without bounds, {}: limit it with clamp, min or max",
                      declaration.name, (*pipeline_)[declaration.inputs[i]].name, to_string(needs[i])));
}

std::vector<Box> ScheduledPipeline::required_of(int id, const Box& box) const {
  std::vector<Box> needs((*pipeline_)[id].inputs.size());
  required_of(id, box, needs.data());
  return needs;
}

void ScheduledPipeline::settle_distribution(int id, const Schedule& schedule, GridChoices& grids,
                                            const Box& domain, const Box& nominal) {
  Stage& stage = stages_[static_cast<std::size_t>(id)];
  const ArrayDeclaration& declaration = (*pipeline_)[id];
  if (const int last = settle_family(id, schedule); last != id) {
    stage.distribution = (*this)[last].distribution;
    return;
  }
  const StageSchedule* found = find_stage(schedule, declaration.name);
  const bool own_grid =
      stage.placement == Placement::distributed && found != nullptr && found->grid.has_value();
  const bool is_cut = declaration.reduction == nullptr && stage.placement == Placement::distributed;
  const auto has_lines = dimensions_with_lines(id);
  const bool aligns_own = found != nullptr && found->align_own;
  const Box blocks = aligns_own ? domain : intersection(nominal, domain);
  const Box& sliced = blocks.empty() ? domain : blocks;
  const Box measured = sliced.empty() ? corner(sliced, false) : sliced;
  const std::string key = own_grid ? fmt::format("schedule.{}.grid", declaration.name) : "grid";
  try {
    GridRequest request = own_grid ? *found->grid : common_grid(id, schedule);
    if (is_cut) choose_auto_off_lines(has_lines, request.entries);
    stage.distribution = BlockDistribution(domain, sliced, grids(request, measured), schedule.slicing);
  } catch (const InputError& error) {
    throw ScheduleError(key, error.what());
  }
  for (int d = 0; d < declaration.dimensions && is_cut; ++d)
    if (has_lines[static_cast<std::size_t>(d)] && stage.distribution.grid().size[d] > 1)
      throw ScheduleError(key, fmt::format("'{}' is computed in whole lines along dimension {}, which cannot "
                                           "be distributed: write 1 there",
                                           declaration.name, d));
}

void ScheduledPipeline::number_grids() {
  std::vector<const ProcessorGrid*> grids;
  for (Stage& stage : stages_) {
    const ProcessorGrid& grid = stage.distribution.grid();
    const auto known =
        std::ranges::find_if(grids, [&](const ProcessorGrid* other) { return *other == grid; });
    stage.grid = static_cast<int>(known - grids.begin());
    if (known == grids.end()) grids.push_back(&grid);
  }
  grid_count_ = static_cast<int>(grids.size());
}

void ScheduledPipeline::settle_tile(int id, const Schedule& schedule) {
  Stage& stage = stages_[static_cast<std::size_t>(id)];
  const ArrayDeclaration& declaration = (*pipeline_)[id];
  const StageSchedule* found = find_stage(schedule, declaration.name);
  if (found != nullptr) stage.tile = found->tile;
  const int dimensions = stage.dimensions;
  if (static_cast<int>(stage.tile.size()) > dimensions)
    throw ScheduleError(fmt::format("schedule.{}.tile", declaration.name),
                        fmt::format("{} entries, but '{}' has {} dimensions: leave some out",
                                    stage.tile.size(), declaration.name, dimensions));
  for (std::int64_t size : stage.tile)
    if (size < 1)
      throw ScheduleError(fmt::format("schedule.{}.tile", declaration.name),
                          fmt::format("a tile of {} points: every entry must be at least 1", size));
}

GridTarget ScheduledPipeline::grid_target(const Schedule& schedule, const std::vector<Box>& domains) const {
  GridTarget grid;
  grid.slicing = schedule.slicing;
  grid.levels = target_.levels;
  grid.below = grid.above = {};
  for (int id = 0; id < size(); ++id) {
    const ArrayDeclaration& declaration = (*pipeline_)[id];
    if (declaration.kernel == nullptr || declaration.reduction != nullptr) continue;
    // What one point reads: half of it lies on each side, wherever the stage is scaled or shifted to.
    for (const Box& need : required_of(id, centre(domains[static_cast<std::size_t>(id)], false)))
      for (int d = 0; d < need.dimensions && !need.empty(); ++d) {
        auto& width = grid.below[static_cast<std::size_t>(d)];
        width = std::max(width, need[d].size() / 2);
      }
  }
  grid.above = grid.below;
  return grid;
}

GridRequest ScheduledPipeline::common_grid(int id, const Schedule& schedule) const {
  const Stage& stage = (*this)[id];
  const ArrayDeclaration& declaration = (*pipeline_)[id];
  const int dimensions = stage.dimensions;
  GridRequest request = schedule.grid;
  for (int part = id; stage.placement != Placement::distributed && part < id + declaration.output_count;
       ++part)
    if (const auto& consumers = (*this)[part].consumers; !consumers.empty()) {
      const ProcessorGrid& grid = (*this)[consumers.front()].distribution.grid();
      request = {{grid.size, grid.size + grid.dimensions}};
      break;
    }
  // A grid for the images does not fit arrays of fewer dimensions: those get slices along the last one.
  const int most = std::max_element(stages_.begin(), stages_.end(), [](const Stage& a, const Stage& b) {
                     return a.dimensions < b.dimensions;
                   })->dimensions;
  const int entries = static_cast<int>(request.entries.size());
  if (entries > dimensions && entries <= most) request = {};
  if (request.entries.empty()) request.entries = dimensions == 1 ? std::vector{0} : std::vector{1, 0};
  if (!declaration.is_everywhere())
    keep_lines_whole(dimensions_with_lines(id), static_cast<std::size_t>(dimensions), request.entries);
  return request;
}

bool ScheduledPipeline::is_exchanged(int id) const {
  const auto& stage = (*this)[id];
  const ArrayDeclaration& declaration = (*pipeline_)[id];
  const bool wraps = declaration.has_periodic_side();
  return stage.placement == Placement::distributed && !declaration.is_everywhere() && !stage.is_fleeting &&
         !stage.consumers.empty() && (rank_count_ > 1 || wraps);
}

}  // namespace tessera
