// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/group/task_graph.hpp"

namespace tessera::group {

/// The ranks and the times of a task.
struct ScheduledTask {
  /// The id of the task in its graph.
  int task = 0;
  /// The ranks in the order in which they share the arrays of the task.
  std::vector<int> ranks;
  /// The seconds from the start of the program to the start of the task.
  double start = 0;
  /// The seconds from the start of the program to the end of the task.
  double finish = 0;

  friend bool operator==(const ScheduledTask&, const ScheduledTask&) = default;
};

/// A schedule says which ranks compute which task, and when. It is plain data, which may be saved, edited and
/// run.
struct GroupSchedule {
  /// The name of the strategy that made the schedule.
  std::string strategy;
  /// The number of ranks of the machine.
  int ranks = 1;
  /// All tasks in the order of their starts. Tasks with the same start are in the order of their ids.
  std::vector<ScheduledTask> tasks;
  /// The seconds until the last task has ended. For a stream it is the latency: the seconds of one item.
  double makespan = 0;
  /// A number of seconds that no schedule of the graph on these ranks can be below. For a stream it is such a
  /// bound of the period.
  double lower_bound = 0;
  /// The seconds between two items of a stream, or 0 if the program runs once. Item k of a stream runs as
  /// `tasks` say, but k periods later.
  double period = 0;

  /// Returns what the schedule is to keep small: the period of a stream, and the makespan otherwise.
  double aim() const { return period > 0 ? period : makespan; }

  friend bool operator==(const GroupSchedule&, const GroupSchedule&) = default;
};

/// Puts the tasks into the order that GroupSchedule has, and computes the makespan from them.
void put_in_order(GroupSchedule& schedule);

}  // namespace tessera::group
