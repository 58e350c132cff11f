// SPDX-License-Identifier: BSD-3-Clause
// Which global reductions are computed together with what they reduce.
#include <algorithm>

#include "tessera/pipeline/planner/scheduled_pipeline.hpp"

namespace tessera {
namespace {

bool is_target(const Algorithm& pipeline, int array) {
  for (const LoopDeclaration& loop : pipeline.loops())
    for (const auto& feed : loop.feeds)
      if (feed.to == array) return true;
  return false;
}

}  // namespace

bool ScheduledPipeline::can_contribute(int reduction, const Schedule& schedule) const {
  const ArrayDeclaration& declaration = (*pipeline_)[reduction];
  const int array = declaration.inputs.front();
  const int stage = (*pipeline_)[array].lead;
  if ((*pipeline_)[stage].is_input() || (*pipeline_)[stage].is_everywhere()) return false;
  // A schedule that says something of the reduction means it.
  if (const auto found = schedule.stages.find(declaration.name); found != schedule.stages.end())
    if (!found->second.is_default()) return false;
  // In another turn, or after a loop that feeds the array, the points would be other ones.
  if (pipeline_->loop_of(stage) != pipeline_->loop_of(reduction) || is_target(*pipeline_, array))
    return false;
  if (is_left_out(reduction) || !(*this)[stage].distribution.domain().contains(wanted(reduction)))
    return false;
  if ((*this)[stage].placement != Placement::tile) return true;
  const int root = root_of_tiles(stage);
  return stage < root && root < reduction;
}

void ScheduledPipeline::add_roots(int stage, std::vector<int>& roots) const {
  for (int part = stage; part < stage + (*pipeline_)[stage].output_count; ++part)
    for (int consumer : (*this)[part].consumers) {
      if ((*pipeline_)[consumer].reduction != nullptr) continue;
      if ((*this)[consumer].placement == Placement::tile)
        add_roots(consumer, roots);
      else if (std::ranges::find(roots, consumer) == roots.end())
        roots.push_back(consumer);
    }
}

int ScheduledPipeline::root_of_tiles(int stage) const {
  std::vector<int> roots;
  add_roots(stage, roots);
  if (roots.empty())
    for (int input : (*pipeline_)[stage].inputs)
      if ((*this)[input].placement == Placement::tile) add_roots((*pipeline_)[input].lead, roots);
  if (roots.size() != 1) return -1;
  const Stage &root = (*this)[roots.front()], &tile = (*this)[stage];
  const BlockDistribution &owners = root.distribution, &same = tile.distribution;
  const bool owns_the_same = owners.domain() == same.domain() && owners.nominal() == same.nominal() &&
                             owners.grid() == same.grid() && owners.slicing() == same.slicing();
  return root.placement == Placement::distributed && owns_the_same ? roots.front() : -1;
}

void ScheduledPipeline::settle_contributions(const Schedule& schedule) {
  for (int id = 0; id < size(); ++id) {
    if ((*pipeline_)[id].reduction == nullptr || !can_contribute(id, schedule)) continue;
    const int stage = (*pipeline_)[(*pipeline_)[id].inputs.front()].lead;
    stages_[static_cast<std::size_t>(id)].contributed_by = stage;
    Stage& settled = stages_[static_cast<std::size_t>(stage)];
    settled.contributes.push_back(id);
    settled.contributes_in = settled.placement == Placement::tile ? root_of_tiles(stage) : stage;
  }
  for (int id = 0; id < size(); ++id) {
    const Stage& stage = (*this)[id];
    if (stage.contributes_in < 0 || stage.contributes_in == id) continue;
    std::vector<int> roots;
    add_roots(id, roots);
    if (roots.empty()) stages_[static_cast<std::size_t>(stage.contributes_in)].adopted.push_back(id);
  }
  for (int id = 0; id < size(); ++id) {
    Stage& stage = stages_[static_cast<std::size_t>(id)];
    const ArrayDeclaration& declaration = (*pipeline_)[id];
    stage.is_fleeting = !declaration.is_input() && !declaration.is_output && !declaration.is_bounded &&
                        stage.placement != Placement::tile && stage.family == 0 && !stage.consumers.empty() &&
                        std::ranges::all_of(stage.consumers, [this](int consumer) {
                          return (*this)[consumer].contributed_by >= 0;
                        });
  }
}

}  // namespace tessera
