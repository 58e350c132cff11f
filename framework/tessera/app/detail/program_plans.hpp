// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tessera/app/detail/plans.hpp"
#include "tessera/app/detail/run_setup.hpp"
#include "tessera/app/detail/task_costs.hpp"
#include "tessera/group/allocation.hpp"
#include "tessera/group/program_plan.hpp"
#include "tessera/group/schedule.hpp"
#include "tessera/group/task_graph.hpp"

namespace tessera::app {

/// A pipeline that a deck divides into tasks, with the costs of the tasks and the groups of ranks that
/// compute them.
class ProgramPlans {
 public:
  /// Divides the pipeline, estimates the costs of the tasks, and allocates ranks to them, as the deck asks.
  /// `whole` are the plans of the undivided pipeline. The arguments must outlive this object. Throws
  /// InputError when the deck or one of the files that it names is faulty. Collective. `is_stream` says
  /// whether the tasks are for the images of a series.
  ProgramPlans(const RunSetup& setup, const RunPlans& whole, bool is_stream);

  /// Whether the deck leaves the choice, and the undivided pipeline is estimated to be the fastest, or no
  /// groups fit into memory.
  bool is_whole() const { return decision_.is_whole; }
  /// Whether the tasks are for the images of a series.
  bool is_stream() const { return decision_.window > 0; }
  /// The machine of each rank, for the plans of tasks.
  const Target& target() const { return target_; }
  /// The tasks.
  const group::Program& program() const { return program_; }
  /// The groups of the tasks, and the estimated times.
  const group::GroupSchedule& schedule() const { return decision_.schedule; }
  /// The planner of the ranks. If is_whole() is true, there is none, except when the deck asks to measure the
  /// tasks.
  const group::ProgramPlanner& planner() const { return *planner_; }
  /// The tasks with their costs. Only rank 0 has them.
  const group::TaskGraph& graph() const { return graph_; }
  /// The machine that estimates of costs assume. Only rank 0 has it.
  const cost::MachineDescription& machine() const { return machine_; }
  /// Lines about the allocation, and about the source of the costs. Only rank 0 has them.
  const std::vector<std::string>& remarks() const { return remarks_; }

 private:
  /// A decision that rank 0 makes and sends to all ranks.
  struct Decision {
    group::GroupSchedule schedule;
    bool is_whole = false;
    /// The greatest number of images of a series that a rank has memory for; 0 for a single run.
    int window = 0;
    static auto members(auto& decision) {
      return std::tie(decision.schedule, decision.is_whole, decision.window);
    }
  };

  /// Allocates ranks to the tasks, as the deck asks. Called on rank 0 only, as are the following functions.
  void allocate(const RunPlans& whole);
  void take_from_file(const std::string& path);
  /// Allocates ranks by a strategy, for one run or for a stream.
  void allocate_as(group::Strategy strategy);
  /// Compares the schedule with the undivided pipeline.
  void compare_with_whole(const RunPlans& whole);
  /// Returns the seconds that the undivided pipeline is estimated to take for each image, or nothing if they
  /// are not known.
  std::optional<double> seconds_of_whole(const RunPlans& whole) const;
  /// Chooses groups that fit into the memory of the ranks, if it has a limit. If the groups of the schedule
  /// do not fit, every task gets all ranks. If these groups do not fit either, the pipeline is not divided.
  /// However, a series is divided if one rank alone would not keep the limit; then ranks have memory for
  /// fewer images, if the deck leaves their number open.
  void limit_memory();
  /// Returns a text about the memory that a rank lacks to compute images of a series by the undivided
  /// pipeline; an empty text if it has enough memory, or if there is no series.
  std::string lack_of_memory_of_whole() const;
  /// Returns a text about the memory that the plan of some rank lacks; an empty text if all ranks have enough
  /// memory.
  std::string lack_of_memory() const;
  void remark_first(std::string line) { remarks_.insert(remarks_.begin(), std::move(line)); }
  std::unique_ptr<group::ProgramPlanner> make_planner() const;

  const RunSetup& setup_;
  Target target_;
  int rank_count_;
  group::Program program_;
  Decision decision_;
  std::unique_ptr<group::ProgramPlanner> planner_;
  group::TaskGraph graph_;
  std::vector<std::string> remarks_;
  cost::MachineDescription machine_;
  MeasuredTasks measured_;
};

/// Returns the program whose only task is the undivided pipeline of a run. The task has the name `whole`.
group::Program undivided_program(const RunSetup& setup);

}  // namespace tessera::app
