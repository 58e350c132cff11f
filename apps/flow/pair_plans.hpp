// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "pipeline.hpp"
#include "tessera/graph/image.hpp"

namespace flow {

/// The plan of a task, which may have several inputs and outputs.
using Planned = std::shared_ptr<const tessera::graph::PlannedPipeline>;

/// The plans of the tasks of one level, whose arrays have the names that make_pipeline gives them. These end
/// with the number of the level, which is left out here.
struct LevelPlans {
  /// The flow with which the level begins: `u` and `v`, from those of the coarser level if there is one.
  Planned begin;
  /// The equations of a warp: `gx`, `gy`, `h` and, for Charbonnier's penalty, `diffusivity`.
  Planned linearise;
  /// A turn of the solver: `next_u`, `next_v`, `change_of_turn`, for Chebyshev's acceleration `next_weight`,
  /// and `end_of_turn` where the loop ends by the change of a turn.
  Planned turn;
  /// The test after a warp: `change_of_warp` and `end_of_warp`, from the flow and that of the beginning of
  /// the warp, `start_u` and `start_v`. It is null where only the number of warps ends the loop.
  Planned compare;
};

/// The plans of the tasks that compute the flow of frames of one shape. They are the stages of make_pipeline,
/// in parts that no loop joins. Each plan is for one thread.
class PairPlans {
 public:
  /// Plans all tasks, by the schedule that make_plan chooses. `cache_bytes` is the share of the cache that a
  /// thread has (see Target::cache_bytes), which devices do not use. Throws the exceptions of make_plan.
  PairPlans(const tessera::Box& frame, tessera::ElementType type, const Settings& settings,
            const Extras& extras, std::int64_t cache_bytes);

  /// The pyramids: `first_0`, `second_0`, `second_dx_0`, `second_dy_0`, `first_1`, and so on.
  const Planned& pyramids() const { return pyramids_; }
  /// The plans of the levels. Level 0 is the finest.
  const std::vector<LevelPlans>& levels() const { return levels_; }
  /// The results: `flow`, and what the extras say besides. They are computed from the flow of level 0, from
  /// `input` if the picture is drawn over the first frame, and from `truth` if there is one.
  const Planned& results() const { return results_; }
  /// The results besides the flow.
  const Extras& extras() const { return extras_; }
  /// Whether the turns of the solver read the diffusivity.
  bool has_diffusivity() const { return has_diffusivity_; }
  /// Returns the points of an array of a level that all plans together need in memory. The array may have any
  /// of `names` in a plan.
  tessera::Box points_of(const std::vector<std::string>& names) const;

 private:
  void note_points();

  Planned pyramids_, results_;
  std::vector<LevelPlans> levels_;
  Extras extras_;
  bool has_diffusivity_;
  /// The points of each array that all plans together need in memory. Tasks ask for them at each level.
  std::map<std::string, tessera::Box> points_;
};

}  // namespace flow
