// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tessera/app/detail/plans.hpp"
#include "tessera/cost/machine_description.hpp"
#include "tessera/cost/work_costs.hpp"
#include "tessera/group/program.hpp"
#include "tessera/group/schedule.hpp"
#include "tessera/group/task_graph.hpp"
#include "tessera/pipeline/plan/plan.hpp"

namespace tessera::app {

/// The seconds of tasks that were measured.
struct MeasuredTasks {
  /// The seconds on numbers of ranks, by the names of the tasks. The seconds of the undivided pipeline have
  /// the name `whole`, which no task has.
  std::map<std::string, std::vector<cost::TimedRanks>> tasks;
  /// The model of the processors; empty if it is not known.
  std::string processor;
  /// The number of threads of a rank; 0 if it is not known.
  int threads = 0;
};

/// The costs of the tasks of a program.
struct TaskCosts {
  /// The cost of each task, in the order of the tasks.
  std::vector<cost::TaskCost> costs;
  /// Lines about the source of the costs, and how well the costs fit.
  std::vector<std::string> remarks;
};

/// Returns the costs of the tasks of a program, as they were measured. A cost of the form a + b/p is fitted
/// to a task that was measured on several numbers of ranks; if a task was measured on one number only, ranks
/// are assumed to share all seconds evenly. Throws InputError that begins with `where` if a task was not
/// measured, or if seconds are not positive. The message says what is wrong.
TaskCosts measured_costs(const group::Program& program, const MeasuredTasks& measured,
                         const std::string& where, int threads);

/// Returns the costs of the tasks of a program, as they are estimated from their plans on 1, 2, 4, ... ranks
/// and on all ranks. Numbers of ranks that the schedule of a task does not fit are left out. Throws the
/// ScheduleError of the last number if it fits none.
TaskCosts estimated_costs(const group::Program& program, const Target& target, int rank_count,
                          const cost::MachineDescription& machine);

/// Returns the estimated seconds of plans, without those of files.
double estimated_seconds(const Algorithm& pipeline, const Plans& plans,
                         const cost::MachineDescription& machine);

/// Returns the seconds of tasks as a YAML file, which read_measured reads.
std::string measured_text(const MeasuredTasks& measured);
/// Reads a file that measured_text has made. Throws InputError with the place in the file if it has another
/// form. Not collective.
MeasuredTasks read_measured(const std::string& path);

/// Reads a schedule that group::to_json has written, and that may have been edited: the ranks and the starts
/// of the tasks, as other times do not count. Throws InputError with the name of the file if it is not a
/// schedule of this graph, or cannot be run. Not collective.
group::GroupSchedule read_allocation(const group::TaskGraph& graph, const std::string& path);

}  // namespace tessera::app
