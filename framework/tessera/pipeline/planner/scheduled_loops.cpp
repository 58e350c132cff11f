// SPDX-License-Identifier: BSD-3-Clause
// What a scheduled pipeline settles about the arrays that loops carry from turn to turn.
#include <fmt/format.h>

#include <algorithm>

#include "tessera/pipeline/planner/scheduled_pipeline.hpp"

namespace tessera {

void ScheduledPipeline::find_families() {
  const auto family_of = [this](int id) -> int& { return stages_[static_cast<std::size_t>(id)].family; };
  for (const LoopDeclaration& loop : pipeline_->loops())
    for (const auto& [from, to] : loop.feeds) {
      if (family_of(to) == 0) {
        family_of(to) = static_cast<int>(families_.size());
        families_.push_back({to});
      }
      const int kept = family_of(to), other = family_of(from);
      if (other == kept) continue;
      std::vector<int> joining = {from};
      if (other > 0) joining.swap(families_[static_cast<std::size_t>(other)]);
      for (int member : joining) {
        family_of(member) = kept;
        families_[static_cast<std::size_t>(kept)].push_back(member);
      }
    }
  for (std::vector<int>& members : families_) std::ranges::sort(members);
}

const std::vector<int>& ScheduledPipeline::family(int id) const {
  return families_[static_cast<std::size_t>((*this)[id].family)];
}

void ScheduledPipeline::settle_fed(int id, Box& domain, Box& nominal) const {
  if (family(id).empty() || (*pipeline_)[id].is_value) return;
  // The first of a family is an input or a bounded stage.
  const Box& next = (*pipeline_)[family(id).front()].domain;
  domain = hull(domain, next);
  nominal = next;
}

void ScheduledPipeline::check_fed(const std::vector<Box>& domains) const {
  for (const LoopDeclaration& loop : pipeline_->loops())
    for (const auto& [from, to] : loop.feeds) {
      const ArrayDeclaration &source = (*pipeline_)[from], &target = (*pipeline_)[to];
      const Box& domain = domains[static_cast<std::size_t>(source.lead)];
      if (!(domain == domains[static_cast<std::size_t>(to)]))
        throw InternalError(fmt::format(
            "the loop '{}' feeds '{}', which is computed on {}, to '{}', which is {}: they must be the same",
            loop.name, source.name, to_string(domain), target.name, to_string(target.domain)));
    }
}

void ScheduledPipeline::check_family_grid(int id, const Schedule& schedule) const {
  const auto found = schedule.stages.find((*pipeline_)[id].name);
  const std::string& last = (*pipeline_)[(*pipeline_)[family(id).back()].lead].name;
  if (found != schedule.stages.end() && found->second.grid.has_value())
    throw ScheduleError(
        fmt::format("schedule.{}.grid", (*pipeline_)[id].name),
        fmt::format("'{}' has the blocks of '{}', with which it changes places in a loop: give "
                    "that one a grid",
                    (*pipeline_)[id].name, last));
}

int ScheduledPipeline::settle_family(int id, const Schedule& schedule) const {
  const ArrayDeclaration& declaration = (*pipeline_)[id];
  int last = id;
  for (int part = id; part < id + declaration.output_count && !declaration.is_value; ++part) {
    if (family(part).empty()) continue;
    const int other = (*pipeline_)[family(part).back()].lead;
    if (other == id) continue;
    if (last != id && !((*this)[last].distribution.grid() == (*this)[other].distribution.grid()))
      throw ScheduleError(
          fmt::format("schedule.{}.grid", (*pipeline_)[other].name),
          fmt::format("'{}' and '{}' change places with outputs of '{}' in loops: give them the same grid",
                      (*pipeline_)[last].name, (*pipeline_)[other].name, declaration.name));
    last = other;
  }
  if (last != id) check_family_grid(id, schedule);
  return last;
}

std::array<bool, max_dimensions> ScheduledPipeline::dimensions_with_lines(int id) const {
  std::array<bool, max_dimensions> has_lines = {};
  const auto add = [&](int array) {
    for (std::size_t d = 0; d < has_lines.size(); ++d)
      has_lines[d] = has_lines[d] || !(*pipeline_)[array].whole[d].empty();
  };
  for (int part = id; part < id + (*pipeline_)[id].output_count; ++part) {
    add(part);
    for (int member : family(part)) add(member);
  }
  return has_lines;
}

void ScheduledPipeline::check_loop_of_consumers(int id) const {
  // A loop that is over may have changed what the stage reads.
  const auto is_between = [&](const LoopDeclaration& loop, int consumer) {
    return id < loop.first && loop.last <= consumer;
  };
  for (int part = id; part < id + (*pipeline_)[id].output_count; ++part)
    for (int consumer : (*this)[part].consumers)
      if (pipeline_->loop_of(consumer) != pipeline_->loop_of(id) ||
          std::ranges::any_of(pipeline_->loops(),
                              [&](const auto& loop) { return is_between(loop, consumer); }))
        throw ScheduleError(
            fmt::format("schedule.{}.compute", (*pipeline_)[id].name),
            fmt::format(
                "'{}' cannot be 'tile', as a loop begins or ends between it and '{}', which reads it: "
                "'distributed', 'rank' and 'replicated' are legal",
                (*pipeline_)[id].name, (*pipeline_)[consumer].name));
}

}  // namespace tessera
