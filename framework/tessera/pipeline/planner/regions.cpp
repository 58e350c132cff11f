// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/planner/regions.hpp"

#include <algorithm>

#include "tessera/pipeline/planner/array_domains.hpp"
#include "tessera/pipeline/planner/scheduled_pipeline.hpp"

namespace tessera {
namespace {

/// Returns the approximate memory of the answers for one set of ranks, including the node of the map that
/// holds these answers.
std::size_t bytes_of_answers(const Algorithm& pipeline) {
  return 2 * sizeof(std::optional<Box>) * pipeline.arrays().values().size() + 128;
}

}  // namespace

Regions::Regions(const ScheduledPipeline& scheduled, std::int64_t most_bytes)
    : scheduled_(scheduled),
      most_answers_(std::max<std::size_t>(
          1, static_cast<std::size_t>(most_bytes) / bytes_of_answers(scheduled.pipeline()))),
      needs_(scheduled.pipeline().table<Needs>()) {}

void Regions::select(int first, int last) {
  if (first == first_ && last == last_) return;
  first_ = first;
  last_ = last;
  ++selection_;
  const std::uint64_t key =
      std::uint64_t(static_cast<std::uint32_t>(first)) << 32 | static_cast<std::uint32_t>(last);
  if (answers_.size() >= most_answers_ && !answers_.contains(key)) answers_.clear();
  selected_ = &answers_[key];
  const std::size_t arrays = scheduled_.pipeline().arrays().values().size();
  selected_->required.resize(arrays);
  selected_->computed.resize(arrays);
  selected_->positions.resize(static_cast<std::size_t>(scheduled_.grid_count()));
}

const Box& Regions::required(ArrayId array) {
  std::optional<Box>& answer = selected_->required[array];
  if (!answer) answer = find_required(array);
  return *answer;
}

const Box& Regions::computed(ArrayId array) {
  const ArrayId stage = scheduled_.pipeline()[array].lead;
  std::optional<Box>& answer = selected_->computed[stage];
  if (!answer) answer = find_computed(stage);
  return *answer;
}

Box Regions::owned(ArrayId array) {
  const ScheduledArray& stage = scheduled_[array];
  // The grid may have fewer ranks than the run. Ranks outside the grid own nothing.
  const int last = std::min(last_, stage.distribution.rank_count());
  if (first_ >= last) return stage.distribution.owned_hull(first_, last_);
  std::optional<ProcessorGrid::Positions>& positions =
      selected_->positions[static_cast<std::size_t>(stage.grid)];
  if (!positions) positions = stage.distribution.grid().positions(first_, last);
  return stage.distribution.owned_at(*positions);
}

Box Regions::find_required(ArrayId array) {
  const ArrayDeclaration& declaration = scheduled_.pipeline()[array];
  Box box;
  box.dimensions = declaration.dimensions;
  if (declaration.is_value()) return declaration.domain;
  if (declaration.is_output) box = declaration.is_reduction() ? declaration.domain : owned(array);
  for (ArrayId consumer : scheduled_[array].consumers) {
    const std::vector<Box>& boxes = needs(consumer);
    const auto& inputs = scheduled_.pipeline()[consumer].inputs;
    for (std::size_t k = 0; k < inputs.size(); ++k)
      if (inputs[k] == array) box = hull(box, boxes[k]);
  }
  return declaration.ends_at_domain() ? with_boundary_sources(box, declaration.domain, declaration.boundary)
                                      : box;
}

Box Regions::find_computed(ArrayId stage) {
  const ArrayDeclaration& declaration = scheduled_.pipeline()[stage];
  if (declaration.is_spare()) return no_points(declaration.dimensions);
  if (const ArrayId contributing = scheduled_[stage].contributed_by; contributing != no_array)
    return intersection(owned(contributing), scheduled_.wanted(stage));
  if (scheduled_[stage].placement == Placement::distributed) return owned(stage);
  Box box;
  for (ArrayId part : scheduled_.pipeline().parts(stage)) box = hull(box, required(part));
  if (box.dimensions == 0) box.dimensions = declaration.dimensions;
  if (box.empty()) return box;
  return scheduled_[stage].placement == Placement::replicated
             ? scheduled_[stage].distribution.domain()
             : declaration.with_whole_lines(scheduled_.pipeline().within_bounds(stage, box));
}

const std::vector<Box>& Regions::needs(ArrayId stage) {
  Needs& needs = needs_[stage];
  if (needs.selection != selection_) {
    required_boxes(scheduled_.pipeline(), stage, computed(stage), needs.boxes);
    needs.selection = selection_;
  }
  return needs.boxes;
}

RankRegions::RankRegions(const ScheduledPipeline& scheduled, int rank, Regions& others)
    : scheduled_(scheduled), rank_(rank), own_(scheduled), others_(others), search_(scheduled.rank_count()) {
  own_.select(rank, rank + 1);
}

Storage RankRegions::storage_of(Regions& regions, ArrayId array) const {
  const ArrayDeclaration& declaration = scheduled_.pipeline()[array];
  if (declaration.is_everywhere()) return {declaration.domain, declaration.domain};
  if (const std::vector<ArrayId>& group = scheduled_.swap_groups().of(array); !group.empty()) {
    // All arrays of a swap group have buffers of the same shape. The rows of all these buffers are aligned at
    // the first computed point of the last array of the group.
    Storage storage{regions.computed(array), {}};
    storage.written_x = storage.read_x = regions.computed(group.back())[0].begin;
    for (ArrayId member : group)
      storage.read = hull(storage.read, hull(regions.computed(member), regions.required(member)));
    if (storage.read.dimensions == 0) storage.read.dimensions = declaration.dimensions;
    return storage;
  }
  Storage storage{regions.computed(array), regions.required(array), 0, 0,
                  !scheduled_[array].has_separate_buffers};
  storage.written_x = storage.written[0].begin;
  storage.read_x = storage.read[0].begin;
  // The rows of an input are aligned where the rows of its first consumer are.
  if (declaration.is_input() && !scheduled_[array].consumers.empty()) {
    const Box& consumer = regions.computed(scheduled_[array].consumers.front());
    if (!consumer.empty() && storage.read[0].contains(consumer[0].begin))
      storage.written_x = storage.read_x = consumer[0].begin;
  }
  return storage;
}

BlockLayout RankRegions::layout(Regions& regions, ArrayId array, bool written) const {
  const Storage storage = storage_of(regions, array);
  const Box box = storage.shared ? hull(storage.written, storage.read)
                  : written      ? storage.written
                                 : storage.read;
  return buffer_layout(box, storage.shared || written ? storage.written_x : storage.read_x,
                       scheduled_.pipeline()[array].type);
}

ExchangeLists RankRegions::messages(ArrayId array) {
  const BlockDistribution& owners = scheduled_[array].distribution;
  const BoundaryConditions& conditions = scheduled_.pipeline()[array].boundary;
  ExchangeLists lists =
      transfer_lists(owners, conditions, rank_, search_, [&](int first, int last) -> const Box& {
        others_.select(first, last);
        return others_.required(array);
      });
  if (storage(array).shared)
    std::erase_if(lists.copies, [](const Message& copy) { return copy.shift == Point{}; });
  const auto layout_of = [&](int rank, bool written) {
    if (rank == rank_) return layout(own_, array, written);
    others_.select(rank, rank + 1);
    return layout(others_, array, written);
  };
  mark_in_place(lists, rank_, layout_of, owners.domain(), conditions);
  return lists;
}

BlockLayout buffer_layout(const Box& box, std::int64_t aligned_x, ElementType type) {
  return padded_layout(box, aligned_x, static_cast<std::int64_t>(size_of(type)));
}

}  // namespace tessera
