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

/// Returns `tile`, the size of the tiles or of the inner tiles of a stage. Throws ScheduleError, with a key
/// that ends with `key`, if tiles cannot have this size.
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
/// number of ranks along such a dimension is given to a dimension that the grid does not cut. If it cuts
/// all dimensions, it then cuts only the last dimension that may be cut. At least one dimension must be one
/// that may be cut.
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
    entries[last] = 0;  // auto
  }
}

/// Replaces `auto` with 1 along dimensions whose whole lines are computed, unless no other `auto` is left.
void choose_auto_off_lines(const Lines& has_lines, std::vector<int>& entries) {
  for (std::size_t line = 0; line < std::min(entries.size(), has_lines.size()); ++line)
    if (has_lines[line] && entries[line] == 0 && std::count(entries.begin(), entries.end(), 0) > 1)
      entries[line] = 1;
}

/// Returns the dimensions along which stage `id` lies between whole lines: an array that the stage reads and
/// all stages that read the stage are computed in whole lines along them.
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

void check_names(const Algorithm& pipeline, const Schedule& schedule) {
  for (const auto& [name, loop] : schedule.loops)
    if (loop.turns() > 1)
      throw InternalError(fmt::format("the loop '{}' should have {} turns in a round: call in_rounds first",
                                      name, loop.turns()));
  for (const auto& [name, stage] : schedule.stages) {
    const auto known = std::ranges::find(pipeline.arrays(), name, &ArrayDeclaration::name);
    if (known == pipeline.arrays().end())
      throw ScheduleError("schedule." + name, fmt::format("the pipeline has no stage or input '{}'", name));
    if (known->is_further_output() && !stage.is_default())
      throw ScheduleError("schedule." + name,
                          fmt::format("'{}' is computed together with '{}': schedule that instead", name,
                                      pipeline[known->lead].name));
  }
}

/// Throws ScheduleError if the schedule gives a grid to the stage or input `id`, which takes over the blocks
/// of the last array of its swap group.
void check_grid_of_group(const ScheduledPipeline& scheduled, ArrayId id, const Schedule& schedule) {
  const Algorithm& pipeline = scheduled.pipeline();
  const std::string& last = pipeline[pipeline[scheduled.swap_groups().of(id).back()].lead].name;
  if (schedule.stage(pipeline[id].name).grid.has_value())
    throw ScheduleError(
        fmt::format("schedule.{}.grid", pipeline[id].name),
        fmt::format("'{0}' has the blocks of '{1}', with which it changes places in a loop: give "
                    "'{1}' a grid",
                    pipeline[id].name, last));
}

/// Returns the stage or input whose blocks the stage or input `id` takes over. If an output of `id` belongs
/// to a swap group (see SwapGroups), this is the stage or input of the last member of the group; otherwise
/// it is `id` itself. Throws ScheduleError if `id` takes over blocks although the schedule gives it a grid,
/// or if its outputs belong to swap groups with different grids.
ArrayId source_of_blocks(const ScheduledPipeline& scheduled, ArrayId id, const Schedule& schedule) {
  const Algorithm& pipeline = scheduled.pipeline();
  ArrayId last = id;
  if (pipeline[id].is_value()) return id;
  for (ArrayId part : pipeline.parts(id)) {
    if (scheduled.swap_groups().of(part).empty()) continue;
    const ArrayId other = pipeline[scheduled.swap_groups().of(part).back()].lead;
    if (other == id) continue;
    if (last != id && !(scheduled[last].distribution.grid() == scheduled[other].distribution.grid()))
      throw ScheduleError(
          fmt::format("schedule.{}.grid", pipeline[other].name),
          fmt::format("'{}' and '{}' change places with outputs of '{}' in loops: give them the same grid",
                      pipeline[last].name, pipeline[other].name, pipeline[id].name));
    last = other;
  }
  if (last != id) check_grid_of_group(scheduled, id, schedule);
  return last;
}

/// Returns, for each dimension, whether the points of a stage along this dimension are computed together
/// (see ArrayDeclaration::whole). If outputs of the stage change places with other arrays in loops, the
/// points of these arrays count, too.
Lines dimensions_with_lines(const ScheduledPipeline& scheduled, ArrayId id) {
  Lines has_lines = {};
  const auto add = [&](ArrayId array) {
    for (std::size_t d = 0; d < has_lines.size(); ++d)
      has_lines[d] = has_lines[d] || !scheduled.pipeline()[array].whole[d].empty();
  };
  for (ArrayId part : scheduled.pipeline().parts(id)) {
    add(part);
    for (ArrayId member : scheduled.swap_groups().of(part)) add(member);
  }
  return has_lines;
}

bool are_all_lines(const Lines& lines, int dimensions) {
  return std::all_of(lines.begin(), lines.begin() + dimensions, [](bool is_whole) { return is_whole; });
}

/// Returns the request for the processor grid of an array that has no grid of its own in the schedule. A
/// stage that is not distributed gets the grid of its first consumer.
GridRequest common_grid(const ScheduledPipeline& scheduled, ArrayId id, const Schedule& schedule) {
  const Algorithm& pipeline = scheduled.pipeline();
  const ScheduledArray& stage = scheduled[id];
  const int dimensions = pipeline[id].computed_dimensions();
  GridRequest request = schedule.grid;
  for (ArrayId part : pipeline.parts(id))
    if (const auto& consumers = scheduled[part].consumers;
        stage.placement != Placement::distributed && !consumers.empty()) {
      const ProcessorGrid& grid = scheduled[consumers.front()].distribution.grid();
      // The consumer has this grid already, whether or not all ranks are in it.
      request = {{grid.size, grid.size + grid.dimensions}, schedule.grid.order, true};
      break;
    }
  // A grid for images does not fit arrays of fewer dimensions. Such arrays are cut along their last dimension
  // only.
  int most = 0;
  for (const ArrayDeclaration& array : pipeline.arrays()) most = std::max(most, array.computed_dimensions());
  const int entries = static_cast<int>(request.entries.size());
  if (entries > dimensions && entries <= most) request.entries.clear();
  if (request.entries.empty()) request.entries = dimensions == 1 ? std::vector{0} : std::vector{1, 0};
  if (pipeline[id].is_everywhere()) return request;
  Lines has_lines = dimensions_with_lines(scheduled, id);
  if (are_all_lines(has_lines, dimensions))
    return {std::vector<int>(static_cast<std::size_t>(dimensions), 1), request.order, true};
  // A stage between two stages of whole lines gets their slices, so that nothing is sent there and back.
  if (stage.placement == Placement::distributed && has_lines == Lines{})
    if (const Lines around = lines_around(pipeline, stage, id); !are_all_lines(around, dimensions))
      has_lines = around;
  keep_lines_whole(has_lines, static_cast<std::size_t>(dimensions), request.entries);
  return request;
}

void settle_distribution(ScheduledPipeline& scheduled, ArrayId id, const Schedule& schedule,
                         GridChoices& grids, const ArrayDomain& points) {
  const auto& [domain, nominal] = points;
  ScheduledArray& stage = scheduled[id];
  const ArrayDeclaration& declaration = scheduled.pipeline()[id];
  if (const ArrayId last = source_of_blocks(scheduled, id, schedule); last != id) {
    stage.distribution = scheduled[last].distribution;
    return;
  }
  const StageSchedule& asked = schedule.stage(declaration.name);
  const bool own_grid = stage.placement == Placement::distributed && asked.grid.has_value();
  const bool is_cut = !declaration.is_reduction() && stage.placement == Placement::distributed;
  const Lines has_lines = dimensions_with_lines(scheduled, id);
  // The points `sliced` are cut into blocks. If there are none, the search for a grid gets one point instead.
  const Box blocks = asked.align_own ? domain : intersection(nominal, domain);
  const Box& sliced = blocks.empty() ? domain : blocks;
  const Box measured = sliced.empty() ? corner(sliced, false) : sliced;
  const std::string key = own_grid ? fmt::format("schedule.{}.grid", declaration.name) : "grid";
  try {
    GridRequest request = own_grid ? *asked.grid : common_grid(scheduled, id, schedule);
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

/// Gives a number to each of the different processor grids of all arrays. Returns how many there are.
int number_grids(ScheduledPipeline& scheduled) {
  std::vector<const ProcessorGrid*> grids;
  for (ArrayId id : scheduled.ids()) {
    const ProcessorGrid& grid = scheduled[id].distribution.grid();
    const auto known =
        std::ranges::find_if(grids, [&](const ProcessorGrid* other) { return *other == grid; });
    scheduled[id].grid = static_cast<int>(known - grids.begin());
    if (known == grids.end()) grids.push_back(&grid);
  }
  return static_cast<int>(grids.size());
}

void settle_tile(ScheduledPipeline& scheduled, ArrayId id, const Schedule& schedule) {
  const ArrayDeclaration& declaration = scheduled.pipeline()[id];
  const StageSchedule& asked = schedule.stage(declaration.name);
  const int dimensions = declaration.computed_dimensions();
  scheduled[id].tile = checked_tile(declaration.name, "tile", asked.tile, dimensions);
  scheduled[id].inner = checked_tile(declaration.name, "inner", asked.inner, dimensions);
}

/// Returns the target that decides on the `auto` entries of processor grids. The target has one
/// footprint for all arrays, so that arrays with equal boxes get equal grids.
GridTarget grid_target(const ScheduledPipeline& scheduled, const Schedule& schedule,
                       const IdVector<ArrayId, ArrayDomain>& domains) {
  GridTarget grid;
  grid.slicing = schedule.slicing;
  grid.levels = scheduled.target().levels;
  grid.below = grid.above = {};
  for (ArrayId id : scheduled.ids()) {
    const ArrayDeclaration& declaration = scheduled.pipeline()[id];
    if (declaration.kernel == nullptr || declaration.is_reduction()) continue;
    // The points that one point reads. Half of these points count for each side, even if the stage is scaled
    // or shifted.
    for (const Box& need : required_boxes(scheduled.pipeline(), id, centre(domains[id].domain, false)))
      for (int d = 0; d < need.dimensions && !need.empty(); ++d) {
        auto& width = grid.below[static_cast<std::size_t>(d)];
        width = std::max(width, need[d].size() / 2);
      }
  }
  grid.above = grid.below;
  return grid;
}

/// The largest number of ranks whose memory is examined to decide on the buffers of all ranks.
constexpr int most_sampled_ranks = 8;

/// Whether a fusable group can compute the stage `root` together with the stages in its tiles.
bool fits_group(const ScheduledPipeline& scheduled, ArrayId root, int group) {
  const Algorithm& pipeline = scheduled.pipeline();
  const auto& stages = pipeline.groups()[static_cast<std::size_t>(group)].stages;
  const std::vector<ArrayId> members = fused_members(scheduled, root);
  for (ArrayId member : members) {
    if (std::find(stages.begin(), stages.end(), member) == stages.end()) return false;
    // The kernels of fusable groups cannot fill in points outside a domain.
    for (ArrayId part : pipeline.parts(member))
      if (member != root && pipeline[part].is_bounded()) return false;
  }
  return group_scratch_bytes(scheduled, root, members) <= team_scratch_limit(scheduled.target());
}

/// On devices, decides for each stage which fusable group computes it together with the stages in its tiles.
/// A stage with the placement `tile` that no group can compute gets the placement `rank`.
void settle_groups(ScheduledPipeline& scheduled) {
  const Algorithm& pipeline = scheduled.pipeline();
  const auto group_of = [&](ArrayId root) {
    for (int group = 0; group < static_cast<int>(pipeline.groups().size()); ++group)
      if (fits_group(scheduled, root, group)) return group;
    return -1;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (ArrayId root : scheduled.ids()) {
      if (pipeline[root].kernel == nullptr || is_in_tiles(scheduled[root].placement)) continue;
      const std::vector<ArrayId> members = fused_members(scheduled, root);
      ScheduledArray& stage = scheduled[root];
      stage.group = members.size() > 1 ? group_of(root) : -1;
      if (members.size() == 1 || stage.group >= 0) continue;
      for (ArrayId member : members) {
        if (member == root) continue;
        for (ArrayId part : pipeline.parts(member)) scheduled[part].placement = Placement::rank;
      }
      changed = true;
    }
  }
}

/// Decides which arrays have separate buffers (see ScheduledArray::has_separate_buffers). The decision must
/// be the same on all ranks. Therefore every rank derives it from the boxes of the same few ranks.
void settle_storage(ScheduledPipeline& scheduled) {
  Regions regions(scheduled);
  // For each array, the points of one common buffer, and those of two separate buffers together.
  auto together = scheduled.pipeline().table<std::int64_t>(), apart = together;
  const int ranks = scheduled.busy_rank_count();
  const int samples = std::min(ranks, most_sampled_ranks);
  for (int sample = 0; sample < samples; ++sample) {
    // The sampled ranks are spread evenly, but moved a little, so that they do not all lie on the diagonal of
    // a processor grid.
    const std::int64_t even = std::int64_t{sample} * ranks / samples;
    const int rank = static_cast<int>(samples == ranks ? sample : (even + sample % 7) % ranks);
    regions.select(rank, rank + 1);
    for (ArrayId id : scheduled.ids()) {
      if (!scheduled.is_exchanged(id)) continue;
      const Box& computed = regions.computed(id);
      const Box& required = regions.required(id);
      together[id] = std::max(together[id], hull(computed, required).size());
      apart[id] = std::max(apart[id], computed.size() + required.size());
    }
  }
  for (ArrayId id : scheduled.ids())
    scheduled[id].has_separate_buffers = together[id] > apart[id] && scheduled.swap_groups().of(id).empty();
}

}  // namespace

ScheduledPipeline::ScheduledPipeline(const Algorithm& pipeline, const Schedule& schedule,
                                     const Target& target, int rank_count, Window window)
    : pipeline_(pipeline),
      target_(target),
      window_(std::move(window)),
      overlap_(schedule.overlap),
      rank_count_(rank_count),
      arrays_(pipeline.table<ScheduledArray>()),
      swap_groups_(pipeline) {
  check_names(pipeline, schedule);
  settle(has_automatic_placements(schedule)
             ? with_chosen_placements(pipeline, schedule, target, rank_count, window_)
             : schedule);
}

void ScheduledPipeline::settle(const Schedule& schedule) {
  for (ArrayId id : ids())
    for (ArrayId input : pipeline_[id].inputs) {
      auto& consumers = arrays_[input].consumers;
      if (consumers.empty() || consumers.back() != id) consumers.push_back(id);
    }
  const IdVector<ArrayId, ArrayDomain> domains = array_domains(pipeline_, window_);
  GridChoices grids(rank_count_, grid_target(*this, schedule, domains));
  for (ArrayId id : ids().descending()) {
    arrays_[id].placement = settled_placement(pipeline_, schedule, pipeline_[id].lead);
    settle_tile(*this, id, schedule);
    // The consumers of all outputs of a stage decide on its blocks. Ids descend here, so that all these
    // consumers are settled when the first output is reached.
    if (id == pipeline_[id].lead) settle_distribution(*this, id, schedule, grids, domains[id]);
  }
  for (ArrayId id : ids()) arrays_[id].distribution = arrays_[pipeline_[id].lead].distribution;
  grid_count_ = number_grids(*this);
  check_outer_tiles(*this);
  if (target_.device)
    settle_groups(*this);
  else
    settle_contributions(*this, schedule);
  settle_storage(*this);
}

int ScheduledPipeline::busy_rank_count() const {
  int ranks = 1;
  for (const ScheduledArray& array : arrays_) ranks = std::max(ranks, array.distribution.rank_count());
  return ranks;
}

bool ScheduledPipeline::is_exchanged(ArrayId id) const {
  const auto& stage = arrays_[id];
  const ArrayDeclaration& declaration = pipeline_[id];
  const bool wraps = declaration.has_periodic_side();
  return stage.placement == Placement::distributed && !declaration.is_everywhere() &&
         !stage.is_only_reduced && !stage.consumers.empty() && (rank_count_ > 1 || wraps);
}

}  // namespace tessera
