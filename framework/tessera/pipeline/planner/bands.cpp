// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/planner/bands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tessera/domain/human_bytes.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/planner/scheduled_pipeline.hpp"

namespace tessera {
namespace {

/// The dimension that bands cut: the rows of images and volumes, which are contiguous in files.
constexpr int cut_dimension = 1;

bool wants_something(const Algorithm& pipeline, const Window& window) {
  if (window.writes_values()) return true;
  for (int id = 0; id < pipeline.size(); ++id)
    if (!pipeline[id].is_value && !window.wanted(pipeline, id).empty()) return true;
  return false;
}

/// Returns the largest number of bytes that any of a few sampled ranks needs for one of the bands whose
/// numbers are in `indices`, in any pass.
std::int64_t most_bytes_of(const Algorithm& pipeline, const Schedule& schedule, const Target& target,
                           int rank_count, std::int64_t count, const std::set<std::int64_t>& indices) {
  std::int64_t most = 0;
  for (int pass = 0; pass < (count == 1 ? 1 : passes_of(pipeline)); ++pass)
    for (const std::int64_t index : indices) {
      const Window window = count == 1 ? Window() : Window(pipeline, {cut_dimension, count, index, pass});
      const ScheduledPipeline scheduled(pipeline, schedule, target, rank_count, window);
      for (const int busy = scheduled.busy_rank_count(); int rank : std::set{0, busy / 3, busy / 2, busy - 1})
        most = std::max(most, peak_bytes_with_next_band(make_plan(scheduled, rank)));
    }
  return most;
}

/// Returns the largest number of bytes that a sampled rank needs for one of `count` bands. The band in the
/// middle, which is similar to most bands, is examined first. If this band needs no more than `limit`, up to
/// about 40 bands are examined, among them the first and the last band.
std::int64_t most_bytes(const Algorithm& pipeline, const Schedule& schedule, const Target& target,
                        int rank_count, std::int64_t count, std::int64_t limit) {
  constexpr std::int64_t most_looked_at = 40;
  const std::int64_t middle = most_bytes_of(pipeline, schedule, target, rank_count, count, {count / 2});
  if (count == 1 || middle > limit) return middle;
  std::set<std::int64_t> indices{count - 1};
  const std::int64_t looked_at = std::min(count, most_looked_at);
  for (std::int64_t i = 0; i < looked_at; ++i) indices.insert(count * i / looked_at);
  return most_bytes_of(pipeline, schedule, target, rank_count, count, indices);
}

std::int64_t limit_of_bands(const Target& target) {
  return std::max<std::int64_t>(1, target.memory_bytes / 16 * 15);
}

[[noreturn]] void fail_for_memory(const Target& target, int rank_count, std::int64_t bands,
                                  std::int64_t bytes) {
  throw ScheduleError("memory",
                      fmt::format("a rank of {} needs {} even in {} bands, but may use {}: use more "
                                  "ranks, or a schedule that keeps less",
                                  rank_count, human_bytes(bytes), bands, human_bytes(target.memory_bytes)));
}

[[noreturn]] void fail_for_loops(const Algorithm& pipeline, const char* key, const std::string& problem) {
  throw ScheduleError(key,
                      fmt::format("{}; bands do not help, as the loop '{}' goes over all points in every "
                                  "turn: use more ranks",
                                  problem, pipeline.loops().front().name));
}

void shift_buffers(PlanNode& node, int shift) {
  if (auto* allocate = std::get_if<plan::Allocate>(&node.step)) allocate->buffer += shift;
  if (auto* free = std::get_if<plan::Free>(&node.step)) free->buffer += shift;
  if (auto* children = children_of(node))
    for (PlanNode& child : *children) shift_buffers(child, shift);
}

/// Appends the steps of the plan `pass`, and the buffers that they use, to `plan`. The regions and the memory
/// that `plan` lists are taken from `pass` where `pass` computes or needs more.
void append_pass(Plan& plan, Plan pass) {
  const int first = static_cast<int>(plan.buffers.size());
  plan.buffers.insert(plan.buffers.end(), pass.buffers.begin(), pass.buffers.end());
  shift_buffers(pass.root, first);
  auto& steps = std::get<plan::Sequence>(pass.root.step).children;
  auto& all = std::get<plan::Sequence>(plan.root.step).children;
  all.insert(all.end(), std::make_move_iterator(steps.begin()), std::make_move_iterator(steps.end()));
  for (std::size_t id = 0; id < plan.stages.size(); ++id) {
    if (pass.stages[id].computed_points <= plan.stages[id].computed_points) continue;
    plan.stages[id] = pass.stages[id];
    for (int* buffer : {&plan.stages[id].written_buffer, &plan.stages[id].read_buffer})
      if (*buffer >= 0) *buffer += first;
  }
  if (pass.peak_bytes() <= plan.peak_bytes()) return;
  plan.array_bytes = pass.array_bytes;
  plan.message_bytes = pass.message_bytes;
  plan.scratch_bytes = pass.scratch_bytes;
  plan.partial_bytes = pass.partial_bytes;
}

}  // namespace

std::vector<Band> in_order(const Algorithm& pipeline, const Banding& bands) {
  std::vector<Band> order;
  const int passes = passes_of(pipeline);
  for (int pass = 0; pass < passes; ++pass)
    for (std::int64_t index = 0; index < bands.count; ++index) {
      const Band band{bands.dimension, bands.count, index, pass};
      if (wants_something(pipeline, Window(pipeline, band))) order.push_back(band);
    }
  return order;
}

Plan plan_with_bands(const Algorithm& pipeline, const Banding& bands,
                     const std::function<Plan(const Band&)>& plan_of) {
  Plan plan = plan_of({bands.dimension, bands.count, bands.count / 2, 0});
  for (int pass = 1; pass < passes_of(pipeline); ++pass)
    append_pass(plan, plan_of({bands.dimension, bands.count, bands.count / 2, pass}));
  number_nodes(plan.root);
  return plan;
}

Banding bands_that_fit(const Algorithm& pipeline, const Schedule& schedule, const Target& target,
                       int rank_count) {
  Banding bands{cut_dimension, 1};
  if (target.memory_bytes == 0) return bands;
  Target unlimited = target;
  unlimited.memory_bytes = 0;
  const std::int64_t most = most_bands(pipeline, cut_dimension);
  for (;;) {
    const std::int64_t limit = bands.count == 1 ? target.memory_bytes : limit_of_bands(target);
    const std::int64_t bytes = most_bytes(pipeline, schedule, unlimited, rank_count, bands.count, limit);
    if (bytes <= limit) return bands;
    if (!pipeline.loops().empty())
      fail_for_loops(pipeline, "memory",
                     fmt::format("a rank of {} needs {}, but may use {}", rank_count, human_bytes(bytes),
                                 human_bytes(target.memory_bytes)));
    if (bands.count >= most) fail_for_memory(target, rank_count, bands.count, bytes);
    // With n times as many bands, a rank needs more than 1/n of the memory, because halos and some arrays
    // keep their sizes.
    const double ratio = static_cast<double>(bytes) / static_cast<double>(limit);
    const double next =
        std::min(static_cast<double>(bands.count) * std::max(ratio, 1.1) + 1, static_cast<double>(most));
    bands.count = static_cast<std::int64_t>(next);
  }
}

Banding bands_asked_for(const Algorithm& pipeline, std::int64_t count) {
  if (count > 1 && !pipeline.loops().empty()) fail_for_loops(pipeline, "bands", "loops have no bands");
  return {cut_dimension, std::min(count, most_bands(pipeline, cut_dimension))};
}

}  // namespace tessera
