// SPDX-License-Identifier: BSD-3-Clause
// Which global reductions are computed together with what they reduce.
#include <algorithm>

#include "tessera/pipeline/scheduled_pipeline.hpp"

namespace tessera {
namespace {

bool is_target(const Pipeline& pipeline, int array) {
  for (const LoopDeclaration& loop : pipeline.loops())
    for (const auto& feed : loop.feeds)
      if (feed.to == array) return true;
  return false;
}

}  // namespace

bool ScheduledPipeline::can_contribute(int reduction, const Schedule& schedule) const {
  const StageDeclaration& declaration = (*pipeline_)[reduction];
  const int array = declaration.inputs.front();
  const int stage = (*pipeline_)[array].lead;
  if ((*pipeline_)[stage].is_input() || (*pipeline_)[stage].is_everywhere()) return false;
  // A schedule that says something of the reduction means it.
  if (const auto found = schedule.stages.find(declaration.name); found != schedule.stages.end())
    if (!found->second.is_default()) return false;
  // In another turn, or after a loop that feeds the array, the points would be other ones.
  if (pipeline_->loop_of(stage) != pipeline_->loop_of(reduction) || is_target(*pipeline_, array))
    return false;
  return (*this)[stage].placement != Placement::tile &&
         (*this)[stage].distribution.domain().contains(declaration.reduced);
}

void ScheduledPipeline::settle_contributions(const Schedule& schedule) {
  for (int id = 0; id < size(); ++id) {
    if ((*pipeline_)[id].reduction == nullptr || !can_contribute(id, schedule)) continue;
    const int stage = (*pipeline_)[(*pipeline_)[id].inputs.front()].lead;
    stages_[static_cast<std::size_t>(id)].contributed_by = stage;
    stages_[static_cast<std::size_t>(stage)].contributes.push_back(id);
  }
  for (int id = 0; id < size(); ++id) {
    Stage& stage = stages_[static_cast<std::size_t>(id)];
    const StageDeclaration& declaration = (*pipeline_)[id];
    stage.is_fleeting = !declaration.is_input() && !declaration.is_output && !declaration.is_bounded &&
                        stage.family == 0 && !stage.consumers.empty() &&
                        std::ranges::all_of(stage.consumers, [this](int consumer) {
                          return (*this)[consumer].contributed_by >= 0;
                        });
  }
}

}  // namespace tessera
