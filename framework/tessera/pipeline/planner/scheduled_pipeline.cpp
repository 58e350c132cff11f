// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/planner/scheduled_pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/domain/box.hpp"
#include "tessera/pipeline/planner/detail/placements.hpp"
#include "tessera/pipeline/planner/regions.hpp"
#include "tessera/pipeline/planner/tiling.hpp"

namespace tessera {
namespace {

const StageSchedule* find_stage(const Schedule& schedule, const std::string& name) {
  const auto found = schedule.stages.find(name);
  return found == schedule.stages.end() ? nullptr : &found->second;
}

/// Returns the size of the tiles or of the inner tiles of a stage. Throws ScheduleError, with a key that ends
/// with `key`, if there is no such size.
const TileSize& checked_tile(const std::string& name, const char* key, const TileSize& tile, int dimensions) {
  if (static_cast<int>(tile.size()) > dimensions)
    throw ScheduleError(
        fmt::format("schedule.{}.{}", name, key),
        fmt::format("{} entries, but '{}' has {} dimensions: leave some out", tile.size(), name, dimensions));
  for (std::int64_t size : tile)
    if (size < 1)
      throw ScheduleError(fmt::format("schedule.{}.{}", name, key),
                          fmt::format("a tile of {} points: every entry must be at least 1", size));
  return tile;
}

using Lines = std::array<bool, max_dimensions>;

/// Changes a grid for all stages so that it does not cut dimensions along which whole lines are computed. The
/// number of ranks along such a dimension is given to a dimension that the grid does not cut. If there is no
/// such dimension, the grid cuts only the last dimension that may be cut. There must be one that may be cut.
void keep_lines_whole(const Lines& has_lines, std::size_t dimensions, std::vector<int>& entries) {
  for (std::size_t line = 0; line < std::min(entries.size(), dimensions); ++line) {
    if (!has_lines[line] || entries[line] == 1) continue;
    entries.resize(dimensions, 1);
    std::size_t free = 0, last = 0;
    while (free < dimensions && (has_lines[free] || entries[free] != 1)) ++free;
    if (free < dimensions) {
      std::swap(entries[line], entries[free]);
      continue;
    }
    std::fill(entries.begin(), entries.end(), 1);
    for (std::size_t d = 0; d < dimensions; ++d)
      if (!has_lines[d]) last = d;
    entries[last] = 0;
  }
}

/// Replaces `auto` with 1 along dimensions whose whole lines are computed, unless no other `auto` is left.
void choose_auto_off_lines(const Lines& has_lines, std::vector<int>& entries) {
  for (std::size_t line = 0; line < std::min(entries.size(), has_lines.size()); ++line)
    if (has_lines[line] && entries[line] == 0 && std::count(entries.begin(), entries.end(), 0) > 1)
      entries[line] = 1;
}

/// Returns the dimensions along which a stage reads an array of whole lines, and along which all stages that
/// read it are computed in whole lines.
Lines lines_around(const Algorithm& pipeline, const ScheduledArray& stage, ArrayId id) {
  Lines lines = {};
  const auto has_lines = [&](ArrayId array, std::size_t d) {
    const ArrayDeclaration& other = pipeline[array];
    return other.dimensions == pipeline[id].dimensions && !other.whole[d].empty();
  };
  for (std::size_t d = 0; d < static_cast<std::size_t>(pipeline[id].dimensions); ++d)
    lines[d] = !stage.consumers.empty() && std::ranges::all_of(stage.consumers, [&](ArrayId consumer) {
      return has_lines(consumer, d);
    }) && std::ranges::any_of(pipeline[id].inputs, [&](ArrayId input) { return has_lines(input, d); });
  return lines;
}

}  // namespace

ScheduledPipeline::ScheduledPipeline(const Algorithm& pipeline, const Schedule& schedule,
                                     const Target& target, int rank_count, Window window)
    : pipeline_(&pipeline),
      target_(target),
      window_(std::move(window)),
      overlap_(schedule.overlap),
      rank_count_(rank_count),
      arrays_(pipeline.table<ScheduledArray>()),
      swap_groups_(pipeline) {
  check_names(schedule);
  settle(has_automatic_placements(schedule)
             ? with_chosen_placements(pipeline, schedule, target, rank_count, window_)
             : schedule);
}

void ScheduledPipeline::settle(const Schedule& schedule) {
  const Algorithm& pipeline = *pipeline_;
  for (ArrayId id : ids()) {
    ScheduledArray& stage = arrays_[id];
    stage.first_need = total_inputs_;
    stage.dimensions =
        pipeline[id].reduction != nullptr ? pipeline[id].reduced.dimensions : pipeline[id].dimensions;
    for (ArrayId input : pipeline[id].inputs) {
      auto& consumers = arrays_[input].consumers;
      if (consumers.empty() || consumers.back() != id) consumers.push_back(id);
      ++total_inputs_;
    }
  }
  const IdVector<ArrayId, ArrayDomain> domains = array_domains(pipeline, window_);
  GridChoices grids(rank_count_, grid_target(schedule, domains));
  for (ArrayId id : ids().descending()) {
    arrays_[id].placement = settled_placement(pipeline, schedule, pipeline[id].lead);
    settle_tile(id, schedule);
    // The consumers of all outputs of a stage decide on its blocks. They are settled before the first output.
    if (id == pipeline[id].lead) settle_distribution(id, schedule, grids, domains[id]);
  }
  for (ArrayId id : ids())
    if (pipeline[id].is_further_output) arrays_[id].distribution = (*this)[pipeline[id].lead].distribution;
  number_grids();
  check_outer_tiles(pipeline, arrays_);
  if (target_.device)
    settle_groups();
  else
    settle_contributions(pipeline, schedule, window_, swap_groups_, arrays_);
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

void ScheduledPipeline::settle_distribution(ArrayId id, const Schedule& schedule, GridChoices& grids,
                                            const ArrayDomain& points) {
  const auto& [domain, nominal] = points;
  ScheduledArray& stage = arrays_[id];
  const ArrayDeclaration& declaration = (*pipeline_)[id];
  if (const ArrayId last = source_of_blocks(id, schedule); last != id) {
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

int ScheduledPipeline::busy_rank_count() const {
  int ranks = 1;
  for (const ScheduledArray& array : arrays_) ranks = std::max(ranks, array.distribution.rank_count());
  return ranks;
}

void ScheduledPipeline::number_grids() {
  std::vector<const ProcessorGrid*> grids;
  for (ScheduledArray& stage : arrays_) {
    const ProcessorGrid& grid = stage.distribution.grid();
    const auto known =
        std::ranges::find_if(grids, [&](const ProcessorGrid* other) { return *other == grid; });
    stage.grid = static_cast<int>(known - grids.begin());
    if (known == grids.end()) grids.push_back(&grid);
  }
  grid_count_ = static_cast<int>(grids.size());
}

void ScheduledPipeline::settle_tile(ArrayId id, const Schedule& schedule) {
  ScheduledArray& stage = arrays_[id];
  const ArrayDeclaration& declaration = (*pipeline_)[id];
  const StageSchedule* found = find_stage(schedule, declaration.name);
  if (found == nullptr) return;
  stage.tile = checked_tile(declaration.name, "tile", found->tile, stage.dimensions);
  stage.inner = checked_tile(declaration.name, "inner", found->inner, stage.dimensions);
}

GridTarget ScheduledPipeline::grid_target(const Schedule& schedule,
                                          const IdVector<ArrayId, ArrayDomain>& domains) const {
  GridTarget grid;
  grid.slicing = schedule.slicing;
  grid.levels = target_.levels;
  grid.below = grid.above = {};
  for (ArrayId id : ids()) {
    const ArrayDeclaration& declaration = (*pipeline_)[id];
    if (declaration.kernel == nullptr || declaration.reduction != nullptr) continue;
    // The points that one point reads. Half of them count for each side, even if the stage is scaled or
    // shifted.
    for (const Box& need : required_boxes(*pipeline_, id, centre(domains[id].domain, false)))
      for (int d = 0; d < need.dimensions && !need.empty(); ++d) {
        auto& width = grid.below[static_cast<std::size_t>(d)];
        width = std::max(width, need[d].size() / 2);
      }
  }
  grid.above = grid.below;
  return grid;
}

GridRequest ScheduledPipeline::common_grid(ArrayId id, const Schedule& schedule) const {
  const ScheduledArray& stage = (*this)[id];
  const ArrayDeclaration& declaration = (*pipeline_)[id];
  const int dimensions = stage.dimensions;
  GridRequest request = schedule.grid;
  for (ArrayId part : pipeline_->parts(id))
    if (const auto& consumers = (*this)[part].consumers;
        stage.placement != Placement::distributed && !consumers.empty()) {
      const ProcessorGrid& grid = (*this)[consumers.front()].distribution.grid();
      // The consumer has this grid already, whether or not all ranks are in it.
      request = {{grid.size, grid.size + grid.dimensions}, schedule.grid.order, true};
      break;
    }
  // A grid for images does not fit arrays of fewer dimensions. Such arrays are cut along their last dimension
  // only.
  const int most =
      std::max_element(arrays_.begin(), arrays_.end(), [](const ScheduledArray& a, const ScheduledArray& b) {
        return a.dimensions < b.dimensions;
      })->dimensions;
  const int entries = static_cast<int>(request.entries.size());
  if (entries > dimensions && entries <= most) request.entries.clear();
  if (request.entries.empty()) request.entries = dimensions == 1 ? std::vector{0} : std::vector{1, 0};
  if (declaration.is_everywhere()) return request;
  Lines has_lines = dimensions_with_lines(id);
  if (std::all_of(has_lines.begin(), has_lines.begin() + dimensions, [](bool is_whole) { return is_whole; }))
    return {std::vector<int>(static_cast<std::size_t>(dimensions), 1), request.order, true};
  // A stage between two stages of whole lines gets their slices, so that nothing is sent there and back.
  if (stage.placement == Placement::distributed && has_lines == Lines{}) {
    const Lines around = lines_around(*pipeline_, stage, id);
    if (!std::all_of(around.begin(), around.begin() + dimensions, [](bool is_whole) { return is_whole; }))
      has_lines = around;
  }
  keep_lines_whole(has_lines, static_cast<std::size_t>(dimensions), request.entries);
  return request;
}

bool ScheduledPipeline::is_exchanged(ArrayId id) const {
  const auto& stage = (*this)[id];
  const ArrayDeclaration& declaration = (*pipeline_)[id];
  const bool wraps = declaration.has_periodic_side();
  return stage.placement == Placement::distributed && !declaration.is_everywhere() &&
         !stage.is_only_reduced && !stage.consumers.empty() && (rank_count_ > 1 || wraps);
}

// The decisions of a scheduled pipeline about arrays that loops carry from turn to turn.

void ScheduledPipeline::check_grid_of_group(ArrayId id, const Schedule& schedule) const {
  const auto found = schedule.stages.find((*pipeline_)[id].name);
  const std::string& last = (*pipeline_)[(*pipeline_)[swap_groups_.of(id).back()].lead].name;
  if (found != schedule.stages.end() && found->second.grid.has_value())
    throw ScheduleError(
        fmt::format("schedule.{}.grid", (*pipeline_)[id].name),
        fmt::format("'{}' has the blocks of '{}', with which it changes places in a loop: give "
                    "that one a grid",
                    (*pipeline_)[id].name, last));
}

ArrayId ScheduledPipeline::source_of_blocks(ArrayId id, const Schedule& schedule) const {
  const ArrayDeclaration& declaration = (*pipeline_)[id];
  ArrayId last = id;
  if (declaration.is_value) return id;
  for (ArrayId part : pipeline_->parts(id)) {
    if (swap_groups_.of(part).empty()) continue;
    const ArrayId other = (*pipeline_)[swap_groups_.of(part).back()].lead;
    if (other == id) continue;
    if (last != id && !((*this)[last].distribution.grid() == (*this)[other].distribution.grid()))
      throw ScheduleError(
          fmt::format("schedule.{}.grid", (*pipeline_)[other].name),
          fmt::format("'{}' and '{}' change places with outputs of '{}' in loops: give them the same grid",
                      (*pipeline_)[last].name, (*pipeline_)[other].name, declaration.name));
    last = other;
  }
  if (last != id) check_grid_of_group(id, schedule);
  return last;
}

std::array<bool, max_dimensions> ScheduledPipeline::dimensions_with_lines(ArrayId id) const {
  std::array<bool, max_dimensions> has_lines = {};
  const auto add = [&](ArrayId array) {
    for (std::size_t d = 0; d < has_lines.size(); ++d)
      has_lines[d] = has_lines[d] || !(*pipeline_)[array].whole[d].empty();
  };
  for (ArrayId part : pipeline_->parts(id)) {
    add(part);
    for (ArrayId member : swap_groups_.of(part)) add(member);
  }
  return has_lines;
}

// The decisions of a scheduled pipeline that depend on the memory that stages would take.

namespace {

/// The largest number of ranks whose memory is examined to decide on the buffers of all ranks.
constexpr int most_sampled_ranks = 8;

}  // namespace

bool ScheduledPipeline::fits_group(ArrayId root, int group) const {
  const auto& stages = pipeline_->groups()[static_cast<std::size_t>(group)].stages;
  const std::vector<ArrayId> members = fused_members(*this, root);
  for (ArrayId member : members) {
    if (std::find(stages.begin(), stages.end(), member) == stages.end()) return false;
    // The kernels of fusable groups cannot fill in points outside a domain.
    for (ArrayId part : pipeline_->parts(member))
      if (member != root && (*pipeline_)[part].is_bounded) return false;
  }
  return group_scratch_bytes(*this, root, members) <= team_scratch_limit(target_);
}

void ScheduledPipeline::settle_groups() {
  const auto group_of = [this](ArrayId root) {
    for (int group = 0; group < static_cast<int>(pipeline_->groups().size()); ++group)
      if (fits_group(root, group)) return group;
    return -1;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (ArrayId root : ids()) {
      if ((*pipeline_)[root].kernel == nullptr || is_in_tiles((*this)[root].placement)) continue;
      const std::vector<ArrayId> members = fused_members(*this, root);
      ScheduledArray& stage = arrays_[root];
      stage.group = members.size() > 1 ? group_of(root) : -1;
      if (members.size() == 1 || stage.group >= 0) continue;
      for (ArrayId member : members) {
        if (member == root) continue;
        for (ArrayId part : pipeline_->parts(member)) arrays_[part].placement = Placement::rank;
      }
      changed = true;
    }
  }
}

void ScheduledPipeline::settle_storage() {
  Regions regions(*this);
  auto together = pipeline_->table<std::int64_t>(), apart = together;
  const int ranks = busy_rank_count();
  const int samples = std::min(ranks, most_sampled_ranks);
  for (int sample = 0; sample < samples; ++sample) {
    // The sampled ranks are spread evenly, but moved a little, so that they do not all lie on the diagonal of
    // a processor grid.
    const std::int64_t even = std::int64_t{sample} * ranks / samples;
    const int rank = static_cast<int>(samples == ranks ? sample : (even + sample % 7) % ranks);
    regions.select(rank, rank + 1);
    for (ArrayId id : ids()) {
      if (!is_exchanged(id)) continue;
      const Box& computed = regions.computed(id);
      const Box& required = regions.required(id);
      auto& most_together = together[id];
      auto& most_apart = apart[id];
      most_together = std::max(most_together, hull(computed, required).size());
      most_apart = std::max(most_apart, computed.size() + required.size());
    }
  }
  for (ArrayId id : ids())
    arrays_[id].has_separate_buffers = together[id] > apart[id] && swap_groups_.of(id).empty();
}

}  // namespace tessera
