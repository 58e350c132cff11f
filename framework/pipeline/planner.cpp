// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "tessera/pipeline/plan.hpp"
#include "tessera/pipeline/scheduled_pipeline.hpp"
#include "tessera/pipeline/tiling.hpp"
#include "tessera/view/block_layout.hpp"

namespace tessera {
namespace {

class Planner {
 public:
  Planner(const ScheduledPipeline& scheduled, Plan& plan)
      : scheduled_(scheduled),
        pipeline_(scheduled.pipeline()),
        plan_(plan),
        regions_(scheduled.regions(plan.rank, plan.rank + 1)) {}

  void run() {
    for (int id = 0; id < pipeline_.size(); ++id) describe(id);
    plan::Sequence allocate{"allocate", {}}, read{"read", {}}, compute{"compute", {}}, write{"write", {}},
        free{"free", {}};
    for (int id = 0; id < pipeline_.size(); ++id) {
      if (keeps_array(id)) add_memory(id, allocate, free);
      if (pipeline_[id].is_input()) add(read, plan::Read{id, plan_.stages[index(id)].computed});
      add_compute(id, compute);
      add_ghosts(id, compute);
      if (pipeline_[id].is_output) add_write(id, write);
    }
    plan::Sequence root{"plan", {}};
    for (plan::Sequence* part : {&allocate, &read, &compute, &write, &free}) add(root, std::move(*part));
    plan_.root.step = std::move(root);
    int next_id = 0;
    number(plan_.root, next_id);
    plan_.scratch_bytes *= plan_.target.threads;
    for (int id = 0; id < pipeline_.size(); ++id) count_redundant_points(id);
  }

 private:
  static std::size_t index(int id) { return static_cast<std::size_t>(id); }

  template <class Step>
  static void add(plan::Sequence& sequence, Step step) {
    sequence.children.push_back(PlanNode{0, std::move(step)});
  }

  static void number(PlanNode& node, int& next_id) {
    node.id = next_id++;
    if (auto* sequence = std::get_if<plan::Sequence>(&node.step))
      for (PlanNode& child : sequence->children) number(child, next_id);
  }

  bool keeps_array(int id) const { return scheduled_[id].placement != Placement::tile; }

  void describe(int id) {
    const auto& stage = scheduled_[id];
    StageRegions regions;
    regions.placement = stage.placement;
    regions.grid = stage.distribution.grid();
    regions.slicing = stage.distribution.slicing();
    regions.domain = stage.distribution.domain();
    regions.nominal = stage.distribution.nominal();
    regions.owned = stage.distribution.owned(plan_.rank);
    regions.required = regions_.required[index(id)];
    regions.required_within_domain = intersection(regions.required, regions.domain);
    regions.computed = regions_.computed[index(id)];
    regions.computed_points = stage.placement == Placement::tile ? 0 : regions.computed.size();
    own_points_.push_back(
        stage.placement == Placement::tile ? 0 : intersection(regions.computed, regions.owned).size());
    plan_.stages.push_back(regions);
  }

  void add_memory(int id, plan::Sequence& allocate, plan::Sequence& free) {
    const BlockLayout layout = scheduled_.layout(id, regions_);
    plan_.array_bytes += layout.bytes;
    add(allocate, plan::Allocate{id, layout.box, regions_.computed[index(id)][0].begin, layout.bytes});
    add(free, plan::Free{id});
  }

  void add_compute(int id, plan::Sequence& compute) {
    if (pipeline_[id].is_input() || !keeps_array(id)) return;
    plan::Compute step = tile_stage(scheduled_, id, plan_.stages[index(id)].computed, plan_.target,
                                    fused_members(scheduled_, id));
    const std::size_t members = step.members.size();
    for (std::size_t i = 0; i < step.boxes.size(); ++i)
      if (const int member = step.members[i % members]; member != id) {
        StageRegions& regions = plan_.stages[index(member)];
        regions.computed_points += step.boxes[i].size();
        own_points_[index(member)] += intersection(step.boxes[i], regions.owned).size();
      }
    plan_.scratch_bytes = std::max(plan_.scratch_bytes, step.scratch_bytes);
    add(compute, std::move(step));
  }

  /// Once a tile stage's points are known: those beyond the rank's own share, each once, are redundant. Tiles
  /// may overlap in it, and may leave gaps in it.
  void count_redundant_points(int id) {
    StageRegions& regions = plan_.stages[index(id)];
    regions.redundant_points =
        regions.computed_points -
        std::min(own_points_[index(id)], intersection(regions.computed, regions.owned).size());
  }

  void add_ghosts(int id, plan::Sequence& compute) {
    if (scheduled_.is_exchanged(id)) {
      plan::ExchangeGhosts exchange{id, scheduled_.messages(id, plan_.rank)};
      const auto size = static_cast<std::int64_t>(size_of(pipeline_[id].type));
      for (const auto* side : {&exchange.lists.sends, &exchange.lists.receives})
        plan_.message_bytes += buffer_bytes(*side, size);
      add(compute, std::move(exchange));
    }
    if (pipeline_[id].is_input() && pipeline_[id].boundary != BoundaryConditions())
      add(compute, plan::FillBoundary{id, plan_.stages[index(id)].required});
  }

  void add_write(int id, plan::Sequence& write) {
    add(write, plan::Write{id, intersection(plan_.stages[index(id)].owned, pipeline_[id].domain)});
  }

  const ScheduledPipeline& scheduled_;
  const Pipeline& pipeline_;
  Plan& plan_;
  ScheduledPipeline::Regions regions_;
  /// By stage: points computed of the rank's own share, those of overlapping tiles counted each time.
  std::vector<std::int64_t> own_points_;
};

}  // namespace

Plan make_plan(const Pipeline& pipeline, const Schedule& schedule, const Target& target, int rank_count,
               int rank) {
  const ScheduledPipeline scheduled(pipeline, schedule, target, rank_count);
  Plan plan;
  plan.rank = rank;
  plan.rank_count = rank_count;
  plan.target = target;
  Planner(scheduled, plan).run();
  return plan;
}

const plan::Sequence& phase(const Plan& plan, std::string_view name) {
  for (const PlanNode& child : std::get<plan::Sequence>(plan.root.step).children)
    if (const auto* sequence = std::get_if<plan::Sequence>(&child.step); sequence && sequence->name == name)
      return *sequence;
  throw InternalError("a plan without the phase '" + std::string(name) + "'");
}

}  // namespace tessera
