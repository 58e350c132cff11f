// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tessera/cost/work_costs.hpp"
#include "tessera/group/program_plan.hpp"
#include "tessera/view/block_io.hpp"
#include "tessera/view/exchange.hpp"

namespace tessera::group {

/// The sources and sinks of a run of a program. They must outlive the run.
struct ProgramBindings {
  /// The source of each input of the program, by the input's name.
  std::map<std::string, BlockSource*, std::less<>> sources;
  /// The sink of each output of the program, by the output's name. An output without a sink is not written.
  std::map<std::string, BlockSink*, std::less<>> sinks;
  /// Is called on this rank whenever a part of a step begins. It may be empty.
  PartObserver begins = {};
  /// Whether the ranks of a group wait for each other before each task. Otherwise a rank that is early waits
  /// in a part of the task.
  bool begins_together = false;
};

/// The times of a step of a rank, in seconds after the beginning of the run.
struct StepTimes {
  /// The number of the task, start_task or stop_task.
  int task = 0;
  /// The time at which the rank had everything that the step needs, and began it.
  double begin = 0;
  /// The time at which the rank had finished the step.
  double end = 0;
  /// The seconds that the rank waited for messages before the step began.
  double waited = 0;
};

/// A program that is ready to run on the ranks of a communicator. Messages between tasks go directly from the
/// ranks that compute points to the ranks that read them, and travel while ranks compute. A run may be
/// repeated.
class ProgramInstance {
 public:
  /// Allocates and prepares everything that the plan needs. Collective: every rank passes its own plan, and
  /// the plans of all ranks come from equal planners. `program` must outlive the instance. Throws the
  /// exceptions of PlanInstance, and InternalError if the plan is for another rank or number of ranks.
  ProgramInstance(const Program& program, ProgramPlan plan, MPI_Comm communicator,
                  const Transport& transport = {});
  ~ProgramInstance();
  ProgramInstance(const ProgramInstance&) = delete;
  ProgramInstance& operator=(const ProgramInstance&) = delete;

  /// Runs the program. Collective. If a task fails on some ranks, all ranks throw its error before anything
  /// is written. Throws InternalError if an input has no source.
  void run(const ProgramBindings& bindings);

  /// The times of the steps of this rank in the last run.
  const std::vector<StepTimes>& times() const;
  /// The plan of this rank.
  const ProgramPlan& plan() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Runs a program on 1, 2, 4, ... ranks and on all ranks of a communicator, every task on all of them, and
/// returns the seconds of each task, in the order of the tasks: of the slowest rank, in the fastest of `runs`
/// runs. Outputs are not written. Collective. Throws the exceptions of ProgramPlanner and of ProgramInstance.
std::vector<std::vector<cost::TimedRanks>> profile(MPI_Comm communicator, const Program& program,
                                                   const Target& target, const ProgramBindings& bindings,
                                                   int runs = 5, const Transport& transport = {});

}  // namespace tessera::group
