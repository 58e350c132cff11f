// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/group/program.hpp"

namespace tessera::group {

/// The stages of a pipeline that are one task.
struct TaskStages {
  /// The name of the task.
  std::string task;
  /// The names of the stages. The name of one output of a stage stands for the stage.
  std::vector<std::string> stages;
};

/// Cuts a pipeline into tasks, and returns the program of these tasks, which computes the same outputs, bit
/// by bit. `tasks` says which stages are a task. Stages that no task names are added to tasks as follows:
/// - stages of a loop and the arrays that it changes from turn to turn belong together,
/// - a loop of which no task names a stage is a task of its own, with the name of the loop,
/// - a stage on a way from one stage of a task to another one belongs to this task,
/// - all others form further tasks: stages that depend on the same tasks are one task, with the name of its
///   last stage.
///
/// Arrays that are computed in one task and read in another one become an output and an input, on all points
/// that any stage of the pipeline reads. Outputs of tasks are computed by their owners: if the schedule says
/// anything else, it is not followed there. The loops of the tasks have the rounds of turns that the schedule
/// asks for (see in_rounds).
///
/// Throws InputError if a task names a stage that the pipeline has not, an input, or a stage that another
/// task has already, if the stages of a loop would be in several tasks, or if tasks depend on each other in a
/// cycle. Throws ScheduleError if the schedule does not fit.
Program cut(const Algorithm& pipeline, const Schedule& schedule, const std::vector<TaskStages>& tasks);

}  // namespace tessera::group
