// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "tessera/pipeline/scheduled_pipeline.hpp"

namespace tessera::app {

/// The plans of all ranks of a run: made when asked for, or read from a file.
class Plans {
 public:
  /// By a schedule. Throws as make_plan. `pipeline` must outlive this.
  Plans(const Pipeline& pipeline, const Schedule& schedule, const Target& target, int rank_count);
  /// Those of a file's text. Throws InputError when they are none of this pipeline.
  Plans(const Pipeline& pipeline, std::string_view text);

  int rank_count() const { return rank_count_; }
  /// Not to be called by several threads at once.
  Plan of(int rank) const;

 private:
  std::unique_ptr<const ScheduledPipeline> scheduled_;
  /// What was found out for one rank about others.
  std::unique_ptr<Regions> others_;
  std::vector<Plan> saved_;
  int rank_count_ = 0;
};

}  // namespace tessera::app
