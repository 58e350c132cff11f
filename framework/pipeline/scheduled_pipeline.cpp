// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/scheduled_pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace tessera {
namespace {

/// The point box in the middle of `box`, rounded down or up.
Box centre(const Box& box, bool up) {
  Box point = box;
  for (int d = 0; d < box.dimensions; ++d) {
    const std::int64_t middle = floor_divide<std::int64_t>(box[d].begin + box[d].end - 1 + (up ? 1 : 0), 2);
    point[d] = {middle, middle + 1};
  }
  return point;
}

Box no_points(int dimensions) {
  Box box;
  box.dimensions = dimensions;
  return box;
}

Box corner(const Box& box, bool last) {
  Box point = box;
  for (int d = 0; d < box.dimensions; ++d)
    point[d] = last ? Range{box[d].end - 1, box[d].end} : Range{box[d].begin, box[d].begin + 1};
  return point;
}

bool is_bounded(const Box& box) {
  for (int d = 0; d < box.dimensions; ++d)
    if (box[d].begin <= std::numeric_limits<int>::lowest() || box[d].end > std::numeric_limits<int>::max())
      return false;
  return true;
}

}  // namespace

std::string_view name_of(Placement placement) {
  constexpr std::string_view names[] = {"distributed", "rank", "replicated", "tile"};
  return names[static_cast<std::size_t>(placement)];
}

ScheduledPipeline::ScheduledPipeline(const Pipeline& pipeline, const Schedule& schedule, const Target& target,
                                     int rank_count)
    : pipeline_(&pipeline), stages_(static_cast<std::size_t>(pipeline.size())) {
  check_names(schedule);
  for (int id = 0; id < pipeline.size(); ++id)
    for (int input : pipeline[id].inputs) stages_[static_cast<std::size_t>(input)].consumers.push_back(id);
  std::vector<Box> domains(stages_.size()), nominals(stages_.size());
  settle_domains(domains, nominals);
  const GridTarget grid = grid_target(schedule, target, domains);
  for (int id = pipeline.size() - 1; id >= 0; --id) {
    const auto i = static_cast<std::size_t>(id);
    stages_[i].placement = settle_placement(id, schedule, target);
    settle_distribution(id, schedule, grid, domains[i], nominals[i], rank_count);
  }
}

void ScheduledPipeline::check_names(const Schedule& schedule) const {
  for (const auto& [name, stage] : schedule.stages) {
    bool known = false;
    for (const StageDeclaration& declaration : pipeline_->stages()) known = known || declaration.name == name;
    if (!known)
      throw ScheduleError("schedule." + name, fmt::format("the pipeline has no stage or input '{}'", name));
  }
}

Placement ScheduledPipeline::settle_placement(int id, const Schedule& schedule, const Target& target) const {
  const StageDeclaration& declaration = (*pipeline_)[id];
  const auto found = schedule.stages.find(declaration.name);
  const Placement wanted = found == schedule.stages.end() ? Placement::distributed : found->second.placement;
  if (wanted == Placement::distributed) return wanted;
  if (declaration.is_input() || declaration.is_output)
    throw ScheduleError(
        fmt::format("schedule.{}.compute", declaration.name),
        fmt::format("{} '{}' cannot be '{}', only 'distributed'",
                    declaration.is_input() ? "the input" : "the output", declaration.name, name_of(wanted)));
  return wanted == Placement::tile && target.device ? Placement::rank : wanted;
}

std::vector<Box> ScheduledPipeline::required_of(int id, const Box& box) const {
  const StageDeclaration& declaration = (*pipeline_)[id];
  if (box.empty()) return std::vector<Box>(declaration.inputs.size());
  std::vector<Box> required;
  try {
    required = declaration.kernel->required(box);
  } catch (const InternalError& error) {
    throw InternalError(fmt::format("stage '{}': {}", declaration.name, error.what()));
  }
  for (std::size_t i = 0; i < required.size(); ++i)
    if (!required[i].empty() && !is_bounded(required[i]))
      throw InternalError(
          fmt::format("stage '{}' reads '{}' at an index without bounds, {}: limit it with clamp, min or max",
                      declaration.name, (*pipeline_)[declaration.inputs[i]].name, to_string(required[i])));
  return required;
}

void ScheduledPipeline::settle_domains(std::vector<Box>& domains, std::vector<Box>& nominals) const {
  for (int id = size() - 1; id >= 0; --id) {
    const auto i = static_cast<std::size_t>(id);
    const StageDeclaration& declaration = (*pipeline_)[id];
    if (declaration.is_input()) check_domain(id, domains[i]);
    if (declaration.is_input() || declaration.is_output) nominals[i] = declaration.domain;
    if (declaration.is_input()) domains[i] = declaration.domain;
    if (declaration.is_output) domains[i] = hull(domains[i], declaration.domain);
    if (declaration.is_input()) continue;
    if (domains[i].empty()) {
      if (stages_[i].consumers.empty())
        throw InternalError(fmt::format("stage '{}' leads to no output", declaration.name));
      // Its consumers read it only where the outputs have no points: nobody computes it.
      domains[i] = nominals[i] = no_points(declaration.dimensions);
      continue;
    }
    const auto whole = required_of(id, domains[i]);
    const auto first = required_of(id, corner(nominals[i], false));
    const auto last = required_of(id, corner(nominals[i], true));
    for (std::size_t k = 0; k < whole.size(); ++k) {
      const auto input = static_cast<std::size_t>(declaration.inputs[k]);
      domains[input] = hull(domains[input], whole[k]);
      // A producer's blocks follow its consumer's: their corners lie in the middle of what those corners
      // read.
      if (!first[k].empty() && !last[k].empty())
        nominals[input] = hull(nominals[input], hull(centre(first[k], false), centre(last[k], true)));
      else
        nominals[input] = hull(nominals[input], whole[k]);
    }
  }
}

void ScheduledPipeline::check_domain(int id, const Box& required) const {
  const StageDeclaration& input = (*pipeline_)[id];
  for (int d = 0; d < required.dimensions && !required.empty(); ++d) {
    const auto& side = input.boundary.side[static_cast<std::size_t>(d)];
    if ((side[0] == Boundary::none && required[d].begin < input.domain[d].begin) ||
        (side[1] == Boundary::none && required[d].end > input.domain[d].end))
      throw InternalError(
          fmt::format("the input '{}' is {} and has no boundary condition in dimension {}, but "
                      "stages read {}",
                      input.name, to_string(input.domain), d, to_string(required)));
  }
}

void ScheduledPipeline::settle_distribution(int id, const Schedule& schedule, const GridTarget& target,
                                            const Box& domain, const Box& nominal, int rank_count) {
  Stage& stage = stages_[static_cast<std::size_t>(id)];
  const auto& name = (*pipeline_)[id].name;
  const auto found = schedule.stages.find(name);
  const bool own_grid = stage.placement == Placement::distributed && found != schedule.stages.end() &&
                        found->second.grid.has_value();
  const Box blocks = intersection(nominal, domain);
  const Box& sliced = blocks.empty() ? domain : blocks;
  const Box measured = sliced.empty() ? corner(sliced, false) : sliced;
  try {
    const GridRequest request = own_grid ? *found->second.grid : common_grid(stage, schedule);
    stage.distribution = BlockDistribution(
        domain, sliced, resolve_grid(request, measured, rank_count, target), schedule.slicing);
  } catch (const InputError& error) {
    throw ScheduleError(own_grid ? fmt::format("schedule.{}.grid", name) : "grid", error.what());
  }
  if (found != schedule.stages.end()) stage.tile = found->second.tile;
  if (static_cast<int>(stage.tile.size()) > domain.dimensions)
    throw ScheduleError(fmt::format("schedule.{}.tile", name),
                        fmt::format("{} entries, but '{}' has {} dimensions: leave some out",
                                    stage.tile.size(), name, domain.dimensions));
  for (std::int64_t size : stage.tile)
    if (size < 1)
      throw ScheduleError(fmt::format("schedule.{}.tile", name),
                          fmt::format("a tile of {} points: every entry must be at least 1", size));
}

GridTarget ScheduledPipeline::grid_target(const Schedule& schedule, const Target& target,
                                          const std::vector<Box>& domains) const {
  GridTarget grid;
  grid.slicing = schedule.slicing;
  grid.levels = target.levels;
  grid.below = grid.above = {};
  for (int id = 0; id < size(); ++id) {
    if ((*pipeline_)[id].is_input()) continue;
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

GridRequest ScheduledPipeline::common_grid(const Stage& stage, const Schedule& schedule) const {
  if (stage.placement == Placement::distributed || stage.consumers.empty()) return schedule.grid;
  const ProcessorGrid& grid = (*this)[stage.consumers.front()].distribution.grid();
  return {{grid.size, grid.size + grid.dimensions}};
}

ScheduledPipeline::Regions ScheduledPipeline::regions(int first, int last) const {
  Regions regions{std::vector<Box>(stages_.size()), std::vector<Box>(stages_.size())};
  for (int id = size() - 1; id >= 0; --id) {
    const auto i = static_cast<std::size_t>(id);
    const StageDeclaration& declaration = (*pipeline_)[id];
    const BlockDistribution& distribution = stages_[i].distribution;
    Box& required = regions.required[i];
    Box& computed = regions.computed[i];
    const Box owned = distribution.owned_hull(first, last);
    if (declaration.is_output) required = hull(required, owned);
    if (declaration.is_input())
      required = with_boundary_sources(required, declaration.domain, declaration.boundary);
    switch (stages_[i].placement) {
      case Placement::distributed:
        computed = owned;
        break;
      case Placement::rank:
      case Placement::tile:
        computed = required;
        break;
      case Placement::replicated:
        computed = required.empty() ? required : distribution.domain();
        break;
    }
    const auto needs = declaration.is_input() ? std::vector<Box>{} : required_of(id, computed);
    for (std::size_t k = 0; k < needs.size(); ++k) {
      Box& need = regions.required[static_cast<std::size_t>(declaration.inputs[k])];
      need = hull(need, needs[k]);
    }
  }
  return regions;
}

bool ScheduledPipeline::is_exchanged(int id) const {
  const auto& stage = (*this)[id];
  bool wraps = false;
  for (int d = 0; d < (*pipeline_)[id].dimensions; ++d)
    wraps = wraps || (*pipeline_)[id].boundary.is_periodic(d);
  return stage.placement == Placement::distributed && !stage.consumers.empty() &&
         (stage.distribution.rank_count() > 1 || wraps);
}

ExchangeLists ScheduledPipeline::messages(int id, int rank) const {
  const BlockDistribution& owners = (*this)[id].distribution;
  ExchangeLists lists = exchange_lists(
      owners, (*pipeline_)[id].boundary, rank, owners.rank_count(),
      [&](int first, int last) { return regions(first, last).required[static_cast<std::size_t>(id)]; });
  mark_in_place(
      lists, rank, [&](int other) { return layout(id, regions(other, other + 1)); }, owners.domain(),
      (*pipeline_)[id].boundary);
  return lists;
}

BlockLayout ScheduledPipeline::layout(int id, const Regions& regions) const {
  const auto i = static_cast<std::size_t>(id);
  return padded_layout(hull(regions.computed[i], regions.required[i]), regions.computed[i][0].begin,
                       static_cast<std::int64_t>(size_of((*pipeline_)[id].type)));
}

}  // namespace tessera
