// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>

#include "tessera/domain/text.hpp"
#include "tessera/pipeline/algorithm/algorithm.hpp"
#include "tessera/pipeline/plan/exchanges.hpp"
#include "tessera/pipeline/plan/plan.hpp"
#include "tessera/pipeline/plan/tiles.hpp"
#include "tessera/pipeline/planner/detail/planner.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/planner/tiling.hpp"

namespace tessera {
namespace detail {

void Planner::run() {
  plan::Sequence read{"read", {}}, write{"write", {}};
  const Window& window = scheduled_.window();
  for (ArrayId id : pipeline_.ids()) describe(id);
  for (ArrayId id : pipeline_.ids()) {
    begin_loops(id);
    if (pipeline_[id].is_input()) {
      // A band may need no points of the input, but only values that its boundary conditions give.
      if (!stage(id).domain.empty()) add(read.children, plan::Read{id, stage(id).owned});
      await(id);
    } else if (pipeline_[id].kernel != nullptr && !is_in_tiles(scheduled_[id].placement) &&
               !window.is_left_out(pipeline_, id)) {
      add_compute(id);
    }
    if (window.is_written(pipeline_, id))
      add(write.children, plan::Write{id, window.written(pipeline_, id, stage(id).owned)});
    end_loops(id);
  }
  place_buffers();
  plan::Sequence compute{"compute", steps_.take_nodes()};
  plan::Sequence root{"plan", {}};
  for (plan::Sequence* part : {&read, &compute, &write}) add(root.children, std::move(*part));
  if (!window.is_whole()) {
    plan::Bands band{window.band(), std::move(root.children)};
    root.children.clear();
    add(root.children, std::move(band));
  }
  plan_.root.step = std::move(root);
  tell_uses(number_nodes(plan_.root) - 1);
  count_message_bytes();
  if (!plan_.target.device) plan_.scratch_bytes *= plan_.target.threads;
  plan_.library_bytes = plan_.library_bytes * plan_.target.threads + staging_bytes_;
  for (ArrayId id : pipeline_.ids()) count_redundant_points(id);
  check_memory();
}

void Planner::describe(ArrayId id) {
  const auto& settled = scheduled_[id];
  const ArrayDeclaration& declaration = pipeline_[id];
  ArrayRegions regions;
  regions.placement = settled.placement;
  regions.grid = settled.distribution.grid();
  regions.slicing = settled.distribution.slicing();
  regions.domain = settled.distribution.domain();
  regions.nominal = settled.distribution.nominal();
  regions.owned = settled.distribution.owned(plan_.rank);
  regions.required = regions_.required(id);
  regions.computed = regions_.computed(id);
  if (declaration.is_everywhere()) {
    regions.domain = regions.nominal = declaration.domain;
    regions.owned = plan_.rank == 0 ? declaration.domain : Box{{0, 0}};
  }
  regions.required_within_domain = intersection(regions.required, regions.domain);
  own_points_.push_back(0);
  if (!is_in_tiles(settled.placement)) {
    regions.computed_points = regions.computed.size();
    own_points_.back() = intersection(regions.computed, regions.owned).size();
    if (!settled.is_only_reduced) add_buffers(id, regions);
  }
  plan_.stages.push_back(std::move(regions));
}

void Planner::add_buffers(ArrayId id, ArrayRegions& regions) {
  const Storage storage = regions_.storage(id);
  const auto add_buffer = [&](const Box& box, std::int64_t aligned_x) {
    const BlockLayout layout = buffer_layout(box, aligned_x, pipeline_[id].type);
    steps_.add_buffer();
    return plan_.buffers.push_back({id, layout.box, aligned_x, 0, layout.bytes});
  };
  if (storage.shared) {
    regions.written_buffer = regions.read_buffer =
        add_buffer(hull(storage.written, storage.read), storage.written_x);
  } else {
    regions.written_buffer = add_buffer(storage.written, storage.written_x);
    regions.read_buffer = add_buffer(storage.read, storage.read_x);
  }
}

void Planner::add_compute(ArrayId root) {
  if (scheduled_[root].contributed_by != no_array) return add_reduction(root);
  std::vector<ArrayId> members = fused_members(scheduled_, root);
  const Box& box = regions_.computed(root);
  std::vector<Box> parts = {box};
  const bool reads_pending = std::ranges::any_of(members, [this](ArrayId member) {
    return std::ranges::any_of(pipeline_[member].inputs, [this](ArrayId id) { return is_pending(id); });
  });
  if (reads_pending) parts = exchange_pending(members, box);
  add_tiles(root, parts, std::move(members));
  if (pipeline_[root].is_reduction()) add_reduction(root);
  for (ArrayId part : pipeline_.parts(root)) await(part);
}

void Planner::add_tiles(ArrayId root, const std::vector<Box>& parts, std::vector<ArrayId> members) {
  plan::Compute step = tile_stage(scheduled_, root, parts, std::move(members));
  for (ArrayId member : step.members)
    for (ArrayId reduction : scheduled_[member].contributes)
      if (scheduled_[member].contributes_in == root && !step.parts.empty())
        step.contributions.push_back({reduction, regions_.computed(reduction)});
  visit_computed(pipeline_, step, [&](std::size_t m, const Box& points) {
    count_library_bytes(step.members[m], points);
    for (ArrayId member : pipeline_.parts(step.members[m])) {
      stage(member).computed_points += points.size();
      own_points_[member] += intersection(points, stage(member).owned).size();
    }
  });
  for (const Box& part : step.parts) count_library_bytes(root, Tiles({part}, step.tile)[0]);
  // On a device, scratch is memory of a team, which is not counted. Only the table of boxes that the kernel
  // of a fusable group reads is counted.
  if (!plan_.target.device) {
    plan_.scratch_bytes = std::max(plan_.scratch_bytes, step.scratch_bytes);
  } else if (step.group >= 0) {
    const auto stages = pipeline_.groups()[static_cast<std::size_t>(step.group)].stages.size();
    plan_.scratch_bytes +=
        Tiles(step.parts, step.tile).size() * static_cast<std::int64_t>(stages * sizeof(Box));
  }
  const std::vector<ArrayId> readers = step.members;
  const int number = add(std::move(step));
  for (ArrayId member : readers)
    for (ArrayId input : pipeline_[member].inputs)
      if (!is_in_tiles(scheduled_[input].placement)) use(stage(input).read_buffer, number);
  use_outputs(root, number);
}

void Planner::count_library_bytes(ArrayId computed, const Box& box) {
  const StageKernel* const kernel = pipeline_[computed].kernel.get();
  const bool is_copied = is_staged(pipeline_, plan_.target, computed);
  if (kernel != nullptr && (is_copied || !plan_.target.device))
    plan_.library_bytes = std::max(plan_.library_bytes, kernel->library_bytes(box));
  if (is_copied) staging_bytes_ = std::max(staging_bytes_, staging_bytes(pipeline_, plan_, computed));
}

void Planner::use_outputs(ArrayId root, int step) {
  for (ArrayId part : pipeline_.parts(root)) use(stage(part).written_buffer, step);
}

void Planner::add_reduction(ArrayId root) {
  use_outputs(root, add(plan::Reduce{root}));
  const ReductionKernel& reduction = *pipeline_[root].reduction();
  const std::int64_t value = aligned_bytes(reduction.value_bytes());
  if (const int loop = pipeline_.loop_of(root); loop >= 0 && pipeline_.loop(loop).overlaps_test)
    plan_.partial_bytes += value;
  const std::int64_t shares = reduction.device_shares() + reduction.joined_shares();
  const bool is_on_device = plan_.target.device && !reduction.needs_host();
  plan_.partial_bytes +=
      is_on_device ? value + shares * reduction.value_bytes() : value * plan_.target.threads;
}

bool Planner::is_pinned(const Buffer& buffer) {
  const ArrayDeclaration& declaration = pipeline_[buffer.array];
  return (declaration.is_input() || declaration.is_output) &&
         &buffer == &plan_.buffers[stage(buffer.array).written_buffer];
}

void Planner::place_buffers() {
  std::vector<std::int64_t> bytes, offsets;
  for (const BufferId id : plan_.buffers.ids()) {
    const Buffer& buffer = plan_.buffers[id];
    const bool is_given = scheduled_.window().is_left_out(pipeline_, buffer.array);
    if (is_pinned(buffer) || is_given) steps_.use(id, steps_.size());
    if ((is_pinned(buffer) && pipeline_[buffer.array].is_input()) || is_given) steps_.use(id, -1);
    bytes.push_back(buffer.bytes);
  }
  for (const std::vector<ArrayId>& group : scheduled_.swap_groups().all()) {
    std::vector<BufferId> buffers;
    for (ArrayId array : group) buffers.push_back(stage(array).written_buffer);
    steps_.unite(buffers);
  }
  plan_.array_bytes = place_by_lifetime(bytes, steps_.settle_lifetimes().values(), offsets);
  for (std::size_t i = 0; i < offsets.size(); ++i) plan_.buffers.values()[i].offset = offsets[i];
}

void Planner::tell_uses(int last) {
  // The ids of the node `read` and of the first step of the compute phase. Between them lie the steps of
  // `read` and the node `compute`.
  const int read = scheduled_.window().is_whole() ? 1 : 2;
  const int first_step = read + static_cast<int>(phase(plan_, "read").children.size()) + 2;
  const IdVector<BufferId, Lifetime>& lifetimes = steps_.settle_lifetimes();
  for (const BufferId b : lifetimes.ids()) {
    const auto [begin, end] = lifetimes[b];
    if (end < begin) continue;
    plan_.buffers[b].first_node = begin < 0 ? read : first_step + steps_.node_of(begin);
    plan_.buffers[b].last_node = end >= steps_.size() ? last : first_step + steps_.node_of(end);
  }
}

void Planner::count_redundant_points(ArrayId id) {
  ArrayRegions& regions = stage(id);
  if (pipeline_[id].is_everywhere()) return;
  regions.redundant_points = regions.computed_points -
                             std::min(own_points_[id], intersection(regions.computed, regions.owned).size());
}

void Planner::count_message_bytes() {
  std::size_t exchange = 0;
  walk(plan_.root, [&](const PlanNode& node) {
    if (!std::holds_alternative<plan::Exchange>(node.step)) return;
    const bool may_differ = !pipeline_.loops().empty();
    const std::size_t count = may_differ ? arrangements(plan_, node).size() : 1;
    plan_.message_bytes += exchange_bytes_[exchange++] * static_cast<std::int64_t>(count);
  });
  if (plan_.target.device && plan_.target.stages_messages) plan_.message_bytes *= 2;
}

void Planner::check_memory() const {
  if (plan_.target.memory_bytes == 0 || plan_.peak_bytes() <= plan_.target.memory_bytes) return;
  throw ScheduleError(
      "memory",
      fmt::format("rank {} of {} needs {}, but may use {}: use more ranks, or a schedule that keeps less",
                  plan_.rank, plan_.rank_count, human_bytes(plan_.peak_bytes()),
                  human_bytes(plan_.target.memory_bytes)));
}

}  // namespace detail

Plan make_plan(const Algorithm& pipeline, const Schedule& schedule, const Target& target, int rank_count,
               int rank) {
  return make_plan(ScheduledPipeline(pipeline, schedule, target, rank_count), rank);
}

Plan make_plan(const ScheduledPipeline& scheduled, int rank) {
  Regions others(scheduled);
  return make_plan(scheduled, rank, others);
}

Plan make_plan(const ScheduledPipeline& scheduled, int rank, Regions& others) {
  Plan plan;
  plan.rank = rank;
  plan.rank_count = scheduled.rank_count();
  plan.target = scheduled.target();
  detail::Planner(scheduled, plan, others).run();
  return plan;
}

std::vector<Plan> make_plans(const Algorithm& pipeline, const Schedule& schedule, const Target& target,
                             int rank_count) {
  const ScheduledPipeline scheduled(pipeline, schedule, target, rank_count);
  Regions others(scheduled);
  std::vector<Plan> plans;
  for (int rank = 0; rank < rank_count; ++rank) plans.push_back(make_plan(scheduled, rank, others));
  return plans;
}

}  // namespace tessera

namespace tessera::detail {

// The steps of a plan before the first turn of a loop, and at the end of every turn.

void Planner::begin_loops(ArrayId id) {
  const auto& loops = pipeline_.loops();
  for (std::size_t l = 0; l < loops.size(); ++l)
    if (loops[l].first == id) begin_loop(static_cast<int>(l), loops[l]);
}

void Planner::end_loops(ArrayId id) {
  while (!open_loops_.empty() && open_loops_.back().declaration->last == id + 1) end_loop();
}

void Planner::begin_loop(int number, const LoopDeclaration& loop) {
  OpenLoop open{&loop, 0, {}};
  std::vector<ArrayId> now;
  const std::vector<ArrayId> changing = carried_arrays(pipeline_, loop);
  for (ArrayId id : pending_) {
    if (std::ranges::find(changing, id) != changing.end()) continue;
    // Turns of the loop after the rounds may run before more rounds (see Bindings::look). Therefore nothing
    // may be exchanged between the two loops.
    const bool is_read = std::ranges::any_of(scheduled_[id].consumers, [&](ArrayId consumer) {
      return loop.contains(consumer) ||
             (loop.rounds_of >= 0 && pipeline_.loop(loop.rounds_of).contains(consumer));
    });
    (is_read ? now : open.pending_later).push_back(id);
  }
  pending_ = std::move(now);
  if (!pending_.empty()) exchange_pending();
  // The condition and the residuals are tested after the swaps.
  const auto after_swaps = [&loop](ArrayId value) {
    const LoopDeclaration::Feed* feed = loop.feed_from(value);
    return feed == nullptr ? value : feed->to;
  };
  plan::Repeat repeat{.maximum = loop.maximum,
                      .condition = after_swaps(loop.condition),
                      .children = {},
                      .loop = number,
                      .residuals = {},
                      .turns = loop.turns,
                      .rounds_of = loop.rounds_of,
                      .overlaps_test = loop.overlaps_test};
  for (ArrayId residual : loop.residuals) repeat.residuals.push_back(after_swaps(residual));
  repeat.continues = std::ranges::any_of(
      pipeline_.loops(), [number](const LoopDeclaration& other) { return other.rounds_of == number; });
  open.begin = steps_.begin_loop(std::move(repeat));
  for (ArrayId id : changing) await(id);
  open_loops_.push_back(std::move(open));
}

void Planner::end_loop() {
  OpenLoop open = std::move(open_loops_.back());
  open_loops_.pop_back();
  const LoopDeclaration& loop = *open.declaration;
  // The old points of the array at the end of a chain are not needed any more.
  for (const auto& chain : feed_chains(loop))
    for (const auto& [from, to] : chain) add(plan::Swap{to, from});
  const int end = steps_.end_loop();
  std::vector<ArrayId> used_all_along = loop.residuals;
  if (loop.condition != no_array) used_all_along.push_back(loop.condition);
  for (const auto& [from, to] : loop.feeds) used_all_along.insert(used_all_along.end(), {from, to});
  for (int step : {open.begin, end}) use_all(used_all_along, step);
  std::erase_if(pending_, [&](ArrayId id) { return loop.feed_from(id) != nullptr; });
  for (ArrayId id : open.pending_later) await(id);
  for (ArrayId id : carried_arrays(pipeline_, loop)) await(id);
}

}  // namespace tessera::detail
