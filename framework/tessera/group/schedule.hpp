// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "tessera/group/task_graph.hpp"

namespace tessera::group {

/// The ranks and the times of a task.
struct ScheduledTask {
  /// The id of the task in its graph.
  TaskId task{};
  /// The ranks in the order of their shares of the arrays of the task.
  std::vector<int> ranks;
  /// The seconds from the start of the program to the start of the task.
  double start = 0;
  /// The seconds from the start of the program to the end of the task.
  double finish = 0;

  friend bool operator==(const ScheduledTask&, const ScheduledTask&) = default;
  /// Lists the members, so that graph::Transfer can send schedules.
  static auto members(auto& placed) {
    return std::tie(placed.task, placed.ranks, placed.start, placed.finish);
  }
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
  /// A lower bound of the makespan of all schedules of the graph on these ranks; for a stream, of the period.
  double lower_bound = 0;
  /// The seconds between two items of a stream, or 0 if the program runs once. Item k of a stream runs as
  /// `tasks` say, but k periods later.
  double period = 0;

  /// Returns the time that an allocation minimises: the period of a stream, and the makespan otherwise.
  double aim() const { return period > 0 ? period : makespan; }

  friend bool operator==(const GroupSchedule&, const GroupSchedule&) = default;
  /// Lists the members, so that graph::Transfer can send schedules.
  static auto members(auto& schedule) {
    return std::tie(schedule.strategy, schedule.ranks, schedule.tasks, schedule.makespan,
                    schedule.lower_bound, schedule.period);
  }
};

/// Puts the tasks into the order that GroupSchedule has, and computes the makespan from them.
void put_in_order(GroupSchedule& schedule);

/// The ranks from `begin` up to, but not including, `end`.
struct RankRange {
  /// The first rank.
  int begin = 0;
  /// The rank after the last one.
  int end = 0;

  /// Returns the number of ranks.
  int size() const { return end - begin; }
  friend bool operator==(const RankRange&, const RankRange&) = default;
};

/// Returns a list of ranks as ranges, in the order of the list. A range is as long as each next rank is
/// greater by one.
std::vector<RankRange> ranges_of(std::span<const int> ranks);

/// Returns the ranks of some ranges in their order.
std::vector<int> ranks_of(std::span<const RankRange> ranges);

/// Returns a list of ranks as a text such as "0-3, 8".
std::string ranges_text(std::span<const int> ranks);

/// The number of the format that to_json writes.
inline constexpr int schedule_format = 1;

/// Returns a schedule as JSON text, which ends with a line feed. Tasks have their names, and ranks are ranges
/// from a rank up to, but not including, another one, such as [[0, 4], [8, 9]].
std::string to_json(const TaskGraph& graph, const GroupSchedule& schedule);

/// Returns a schedule as a table for people: a line for each task in the order of the starts, with its ranks
/// as ranges, its start and end in seconds, and its share of the makespan; then a line with the strategy, the
/// makespan and how far it is above the lower bound.
std::string to_text(const TaskGraph& graph, const GroupSchedule& schedule);

/// Returns a schedule as a Gantt chart: an SVG image of a page that needs no other file. Time runs to the
/// right, and ranks downwards. Ranks that a task has next to each other are one box, so that charts of many
/// ranks stay small. Tasks of one type have the same colour. A stream has its first three items, the later
/// ones paler.
std::string to_svg(const TaskGraph& graph, const GroupSchedule& schedule);

/// Returns a graph of tasks as text for Graphviz (DOT), with the seconds of each task on one rank and the
/// bytes of each array. With a schedule, tasks also have their ranks and their seconds there, and tasks that
/// run on the same ranks have the same colour.
std::string to_dot(const TaskGraph& graph, const GroupSchedule* schedule = nullptr);

/// Throws InputError, which says what is wrong and where, unless a schedule can be run: every task of the
/// graph is there once, it has at least one rank, at most as many as it can use, all of them different and
/// below the number of ranks of the machine; it takes at least the time that its cost says; it starts after
/// its predecessors have ended and their arrays have travelled; no rank has two tasks at the same time, and
/// therefore there are never more tasks than ranks; and the makespan is the end of the last task. For a
/// stream, ranks are compared over all items. Times may differ by a relative 1e-9 from what they should be.
void check_schedule(const TaskGraph& graph, const Communication& communication,
                    const GroupSchedule& schedule);

/// Throws InputError, which says what is wrong and where, unless the groups and the order of a schedule can
/// be run: every task of the graph is there once, its ranks are as check_schedule demands, and it does not
/// start before a task whose arrays it reads. Other than that, times are not looked at. All ranks begin tasks
/// in the order of the starts, so that ranks never wait for each other in a circle.
void check_groups_and_order(const TaskGraph& graph, const GroupSchedule& schedule);

}  // namespace tessera::group
