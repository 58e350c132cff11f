// SPDX-License-Identifier: BSD-3-Clause
// The decisions of a scheduled pipeline about arrays that loops carry from turn to turn.
#include <fmt/format.h>

#include <algorithm>

#include "tessera/pipeline/planner/scheduled_pipeline.hpp"

namespace tessera {

void ScheduledPipeline::check_grid_of_group(int id, const Schedule& schedule) const {
  const auto found = schedule.stages.find((*pipeline_)[id].name);
  const std::string& last = (*pipeline_)[(*pipeline_)[swap_groups_.of(id).back()].lead].name;
  if (found != schedule.stages.end() && found->second.grid.has_value())
    throw ScheduleError(
        fmt::format("schedule.{}.grid", (*pipeline_)[id].name),
        fmt::format("'{}' has the blocks of '{}', with which it changes places in a loop: give "
                    "that one a grid",
                    (*pipeline_)[id].name, last));
}

int ScheduledPipeline::source_of_blocks(int id, const Schedule& schedule) const {
  const ArrayDeclaration& declaration = (*pipeline_)[id];
  int last = id;
  for (int part = id; part < id + declaration.output_count && !declaration.is_value; ++part) {
    if (swap_groups_.of(part).empty()) continue;
    const int other = (*pipeline_)[swap_groups_.of(part).back()].lead;
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

std::array<bool, max_dimensions> ScheduledPipeline::dimensions_with_lines(int id) const {
  std::array<bool, max_dimensions> has_lines = {};
  const auto add = [&](int array) {
    for (std::size_t d = 0; d < has_lines.size(); ++d)
      has_lines[d] = has_lines[d] || !(*pipeline_)[array].whole[d].empty();
  };
  for (int part : pipeline_->parts(id)) {
    add(part);
    for (int member : swap_groups_.of(part)) add(member);
  }
  return has_lines;
}

}  // namespace tessera
