// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tessera/cost/work_costs.hpp"
#include "tessera/group/program.hpp"
#include "tessera/group/schedule.hpp"
#include "tessera/group/stream_order.hpp"
#include "tessera/pipeline/plan/plan.hpp"
#include "tessera/pipeline/plan/plan_nodes.hpp"

namespace tessera::group {

/// The number that stands for the start of a program, where all ranks read its inputs.
inline constexpr int start_task = -1;
/// The number that stands for the stop of a program, where all ranks write its outputs.
inline constexpr int stop_task = -2;

/// Returns the name of a task of a program; "start" for start_task, and "stop" for stop_task.
std::string name_of_task(const Program& program, int task);

/// The group of a task: the ranks that compute it.
struct TaskGroup {
  /// The number of the task.
  int task = 0;
  /// The ranks of the program, in the order in which they are the ranks 0, 1, ... of the group.
  std::vector<int> ranks;
};

/// The points of an array that a rank has computed or read, and keeps for later tasks.
struct HeldArray {
  /// The number of the array in the program.
  int array = 0;
  /// The points, which lie in memory without padding.
  Box box;
  /// The size of the points in bytes.
  std::int64_t bytes = 0;
  /// The distance of the points from the start of the memory between tasks, in bytes.
  std::int64_t offset = 0;
  /// The steps of the rank that use the memory.
  Lifetime steps = {};
};

/// A message with points of one array, from a rank that computes them to a rank that reads them.
struct Parcel {
  /// The number of the array in the program.
  int array = 0;
  /// The rank of the program that receives or sends the message.
  int partner = 0;
  /// The boxes of points. They lie in the message one after the other, without padding.
  std::vector<Box> boxes;
  /// The size of the message in bytes.
  std::int64_t bytes = 0;
  /// The distance of the message from the start of the memory between tasks, in bytes. If the message is sent
  /// in place, this is the place of its points in a held array.
  std::int64_t offset = 0;
  /// Whether the message is sent from a held array, without being packed.
  bool in_place = false;
  /// A message that is sent: sent after the step `steps.first`, and gone after the step `steps.last`. A
  /// message that is received: awaited from the step `steps.first` on, and read until the step `steps.last`.
  Lifetime steps = {};
  /// A message that is received: the first step that reads it. The rank waits for the message before the
  /// step.
  int first_use = 0;
};

/// One step of a rank: its part in one task.
struct RankStep {
  /// The number of the task, start_task or stop_task.
  int task = 0;
  /// The place of the task in the order in which all ranks begin the tasks. The start has the place 0.
  int place = 0;
  /// The ranks of the group.
  std::vector<int> ranks;
  /// The plan of this rank in the group; null for the start and the stop.
  std::shared_ptr<const Plan> plan = nullptr;
  /// In a stream, the turn of the task.
  StreamTurn turn = {};
};

/// Everything that one rank does in a program, as plain data: a step for each task in whose group it is, the
/// arrays that it keeps between the steps, and the messages. The steps are in the order in which all ranks
/// begin their tasks. Messages travel while ranks compute.
struct ProgramPlan {
  /// The rank that the plan is for.
  int rank = 0;
  /// The number of ranks of the program.
  int rank_count = 1;
  /// The steps, in order. The first one is the start, and the last one is the stop.
  std::vector<RankStep> steps;
  /// The arrays that the rank keeps, in the order of the steps that compute them.
  std::vector<HeldArray> held;
  /// The messages that the rank sends, in the order of the steps after which it sends them.
  std::vector<Parcel> sends;
  /// The messages that the rank receives, in the order of their first uses.
  std::vector<Parcel> receives;
  /// Whether the rank runs the steps for each item of a stream. Then it reads at the start those points of
  /// the inputs of the program that its tasks read, and writes those of the outputs that they compute.
  bool is_stream = false;
  /// The number of items for which the rank has memory for held arrays and messages.
  int slots = 1;
  /// In a stream, a rank begins item i only after all ranks have ended item i - `most_items`.
  int most_items = 1;
  /// The bytes of the memory for held arrays and messages of one item. Memory that is used at different times
  /// counts once.
  std::int64_t held_bytes = 0;
  /// The bytes of the arrays of the tasks, which use the same memory one after the other.
  std::int64_t array_bytes = 0;
  /// The bytes that the plans of all tasks need for messages, scratch memory, partial results and libraries.
  std::int64_t other_bytes = 0;

  /// The bytes of memory that the rank needs.
  std::int64_t peak_bytes() const { return kept_bytes() + array_bytes + other_bytes; }
  /// The bytes of the memory for held arrays and messages of all items.
  std::int64_t kept_bytes() const { return slots * held_bytes; }
};

/// Makes the plans of the ranks of a program. Nothing is communicated: every rank can make its own plan.
class ProgramPlanner {
 public:
  /// Prepares plans for `rank_count` ranks. `groups` has the groups of all tasks, in the order in which ranks
  /// begin them. `target` describes the machine of each rank; its memory limits each rank. `program` must
  /// outlive the planner. With `stream` the plans are for the items of a stream, whose order it says. Throws
  /// InputError if the program is not well formed (see Program::check), if a task has no group or two, or
  /// comes before a task that it depends on, if a group has no ranks, a rank twice or a rank that does not
  /// exist. Throws the exceptions of make_plan.
  ProgramPlanner(const Program& program, std::vector<TaskGroup> groups, const Target& target, int rank_count,
                 StreamOrder stream = {});
  ~ProgramPlanner();
  ProgramPlanner(const ProgramPlanner&) = delete;
  ProgramPlanner& operator=(const ProgramPlanner&) = delete;

  /// Returns the plan of a rank. Throws InputError with the name of the task if the rank lacks memory.
  ProgramPlan plan(int rank) const;
  /// Returns the plans of all ranks.
  std::vector<ProgramPlan> plans() const;

  /// The program.
  const Program& program() const;
  /// The groups, in the order in which ranks begin the tasks.
  const std::vector<TaskGroup>& groups() const;

 private:
  class Impl;
  std::unique_ptr<const Impl> impl_;
};

/// Returns the groups in which every task has all ranks, so that the tasks follow each other.
std::vector<TaskGroup> data_parallel_groups(const Program& program, int rank_count);

/// A part of a step of a rank in a program.
struct StepPart {
  /// The kinds of work that a rank does in a step.
  enum class Kind {
    wait,     ///< Waits for messages, or for other ranks.
    read,     ///< Reads inputs of the program.
    compute,  ///< Executes a node of the plan of a task.
    send,     ///< Packs points for other ranks, and sends them.
    write     ///< Writes outputs of the program.
  };
  /// The names of the kinds, in their order.
  static constexpr std::array names_of_kinds = {"wait", "read", "compute", "send", "write"};

  /// The number of the task, start_task or stop_task.
  int task = 0;
  /// The kind of work that the rank does.
  Kind kind = Kind::wait;
  /// The node of the plan of the task; null unless the kind is `compute`.
  const PlanNode* node = nullptr;
  /// The item of a stream; 0 if the program runs once.
  std::int64_t item = 0;
};

/// Is called on a rank whenever a part of a step begins, and the last one has therefore ended.
using PartObserver = std::function<void(const StepPart&)>;

/// Returns the tasks of a program as a graph with costs. The task with the id i is the task number i of the
/// program, and its cost is costs[i]. The bytes of an edge are those of the whole array.
TaskGraph task_graph(const Program& program, const std::vector<cost::TaskCost>& costs);

/// Returns the groups that a schedule of `task_graph` gives the tasks. Tasks begin in the order of the
/// schedule, but never before a task that they depend on.
std::vector<TaskGroup> groups_of(const Program& program, const GroupSchedule& schedule);

/// Returns lines about a program on all ranks: what each task gets from which other tasks, what ranks send
/// each other, and the memory of a rank at most. `plans` has the plans of all ranks.
std::string explain(const Program& program, const std::vector<ProgramPlan>& plans);

/// Returns lines about one rank: its steps in order, with the messages that it awaits before each and sends
/// after each, and what it keeps in memory.
std::string explain(const Program& program, const ProgramPlan& plan);

}  // namespace tessera::group
