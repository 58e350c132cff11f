// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/planner/regions.hpp"

#include <algorithm>

#include "tessera/pipeline/planner/array_domains.hpp"
#include "tessera/pipeline/planner/scheduled_pipeline.hpp"

namespace tessera {
namespace {

std::size_t index(int id) { return static_cast<std::size_t>(id); }

/// Returns the approximate memory of the answers for one set of ranks, including their node of the map.
std::size_t bytes_of_answers(int stages) { return 2 * sizeof(std::optional<Box>) * index(stages) + 128; }

}  // namespace

Regions::Regions(const ScheduledPipeline& scheduled, std::int64_t most_bytes)
    : scheduled_(scheduled),
      most_answers_(std::max<std::size_t>(
          1, static_cast<std::size_t>(most_bytes) / bytes_of_answers(scheduled.size()))),
      needs_(index(scheduled.total_inputs())),
      needs_selection_(index(scheduled.size()), 0) {}

void Regions::select(int first, int last) {
  if (first == first_ && last == last_) return;
  first_ = first;
  last_ = last;
  ++selection_;
  const std::uint64_t key =
      std::uint64_t(static_cast<std::uint32_t>(first)) << 32 | static_cast<std::uint32_t>(last);
  if (answers_.size() >= most_answers_ && !answers_.contains(key)) answers_.clear();
  selected_ = &answers_[key];
  selected_->required.resize(index(scheduled_.size()));
  selected_->computed.resize(index(scheduled_.size()));
  selected_->positions.resize(index(scheduled_.grid_count()));
}

const Box& Regions::required(int array) {
  std::optional<Box>& answer = selected_->required[index(array)];
  if (!answer) answer = find_required(array);
  return *answer;
}

const Box& Regions::computed(int array) {
  const int stage = scheduled_.pipeline()[array].lead;
  std::optional<Box>& answer = selected_->computed[index(stage)];
  if (!answer) answer = find_computed(stage);
  return *answer;
}

Box Regions::owned(int array) {
  const ScheduledArray& stage = scheduled_[array];
  // The grid may have fewer ranks than there are. The others own nothing.
  const int last = std::min(last_, stage.distribution.rank_count());
  if (first_ >= last) return stage.distribution.owned_hull(first_, last_);
  std::optional<ProcessorGrid::Positions>& positions = selected_->positions[index(stage.grid)];
  if (!positions) positions = stage.distribution.grid().positions(first_, last);
  return stage.distribution.owned_at(*positions);
}

Box Regions::find_required(int array) {
  const ArrayDeclaration& declaration = scheduled_.pipeline()[array];
  Box box;
  box.dimensions = declaration.dimensions;
  if (declaration.is_value) return declaration.domain;
  if (declaration.is_output) box = declaration.reduction != nullptr ? declaration.domain : owned(array);
  for (int consumer : scheduled_[array].consumers) {
    const Box* boxes = needs(consumer);
    const auto& inputs = scheduled_.pipeline()[consumer].inputs;
    for (std::size_t k = 0; k < inputs.size(); ++k)
      if (inputs[k] == array) box = hull(box, boxes[k]);
  }
  return declaration.ends_at_domain() ? with_boundary_sources(box, declaration.domain, declaration.boundary)
                                      : box;
}

Box Regions::find_computed(int stage) {
  const ArrayDeclaration& declaration = scheduled_.pipeline()[stage];
  if (declaration.is_spare) return no_points(declaration.dimensions);
  if (const int contributing = scheduled_[stage].contributed_by; contributing >= 0)
    return intersection(owned(contributing), scheduled_.wanted(stage));
  if (scheduled_[stage].placement == Placement::distributed) return owned(stage);
  Box box;
  for (int part : scheduled_.pipeline().parts(stage)) box = hull(box, required(part));
  if (box.dimensions == 0) box.dimensions = declaration.dimensions;
  if (box.empty()) return box;
  return scheduled_[stage].placement == Placement::replicated
             ? scheduled_[stage].distribution.domain()
             : declaration.with_whole_lines(scheduled_.pipeline().within_bounds(stage, box));
}

const Box* Regions::needs(int stage) {
  Box* boxes = needs_.data() + scheduled_[stage].first_need;
  if (needs_selection_[index(stage)] != selection_) {
    required_boxes(scheduled_.pipeline(), stage, computed(stage), boxes);
    needs_selection_[index(stage)] = selection_;
  }
  return boxes;
}

}  // namespace tessera
