// SPDX-License-Identifier: BSD-3-Clause
// The decisions of a scheduled pipeline that depend on the memory that stages would take.
#include <algorithm>

#include "tessera/pipeline/planner/scheduled_pipeline.hpp"
#include "tessera/pipeline/planner/tiling.hpp"

namespace tessera {
namespace {

/// The largest number of ranks whose memory is examined to decide on the buffers of all ranks.
constexpr int most_sampled_ranks = 8;

}  // namespace

bool ScheduledPipeline::fits_group(int root, int group) const {
  const auto& stages = pipeline_->groups()[static_cast<std::size_t>(group)].stages;
  const std::vector<int> members = fused_members(*this, root);
  for (int member : members) {
    if (std::find(stages.begin(), stages.end(), member) == stages.end()) return false;
    // The kernels of fusable groups cannot fill in points outside a domain.
    for (int part = member; part < member + (*pipeline_)[member].output_count && member != root; ++part)
      if ((*pipeline_)[part].is_bounded) return false;
  }
  return group_scratch_bytes(*this, root, members) <= team_scratch_limit(target_);
}

void ScheduledPipeline::settle_groups() {
  const auto group_of = [this](int root) {
    for (int group = 0; group < static_cast<int>(pipeline_->groups().size()); ++group)
      if (fits_group(root, group)) return group;
    return -1;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (int root = 0; root < size(); ++root) {
      if ((*pipeline_)[root].kernel == nullptr || is_in_tiles((*this)[root].placement)) continue;
      const std::vector<int> members = fused_members(*this, root);
      ScheduledArray& stage = arrays_[static_cast<std::size_t>(root)];
      stage.group = members.size() > 1 ? group_of(root) : -1;
      if (members.size() == 1 || stage.group >= 0) continue;
      for (int member : members) {
        if (member == root) continue;
        for (int part : pipeline_->parts(member))
          arrays_[static_cast<std::size_t>(part)].placement = Placement::rank;
      }
      changed = true;
    }
  }
}

void ScheduledPipeline::settle_storage() {
  Regions regions(*this);
  std::vector<std::int64_t> together(arrays_.size(), 0), apart(arrays_.size(), 0);
  const int ranks = busy_rank_count();
  const int samples = std::min(ranks, most_sampled_ranks);
  for (int sample = 0; sample < samples; ++sample) {
    // The sampled ranks are spread evenly, but moved a little, so that they do not all lie on the diagonal of
    // a processor grid.
    const std::int64_t even = std::int64_t{sample} * ranks / samples;
    const int rank = static_cast<int>(samples == ranks ? sample : (even + sample % 7) % ranks);
    regions.select(rank, rank + 1);
    for (int id = 0; id < size(); ++id) {
      if (!is_exchanged(id)) continue;
      const Box& computed = regions.computed(id);
      const Box& required = regions.required(id);
      auto& most_together = together[static_cast<std::size_t>(id)];
      auto& most_apart = apart[static_cast<std::size_t>(id)];
      most_together = std::max(most_together, hull(computed, required).size());
      most_apart = std::max(most_apart, computed.size() + required.size());
    }
  }
  for (std::size_t i = 0; i < arrays_.size(); ++i)
    arrays_[i].has_separate_buffers = together[i] > apart[i] && swap_groups_.of(static_cast<int>(i)).empty();
}

}  // namespace tessera
