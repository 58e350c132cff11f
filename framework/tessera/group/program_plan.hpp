// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tessera/group/program.hpp"
#include "tessera/group/schedule.hpp"
#include "tessera/pipeline/plan/plan.hpp"
#include "tessera/pipeline/plan/plan_nodes.hpp"

namespace tessera {
class ScheduledPipeline;
}

namespace tessera::group {

struct ArrayRoutes;

/// Returns the name of a task of a program; "start" for start_task, and "stop" for stop_task.
std::string name_of_task(const Program& program, TaskId task);

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
  /// True if the message is sent from a held array, without being packed.
  bool in_place = false;
  /// A message that is sent: sent after the step `steps.first`, and gone after the step `steps.last`. A
  /// message that is received: awaited from the step `steps.first` on, and read until the step `steps.last`.
  Lifetime steps = {};
  /// A message that is received: the first step that reads it. The rank waits for the message before the
  /// step.
  int first_use = 0;
};

/// The turn of a task among the tasks of the items of a stream. A rank works in rounds, and its tasks take
/// turns in each round. In round r a task computes item r - `round`.
struct StreamTurn {
  /// The number of rounds between the first task of the program and this one.
  int round = 0;
  /// The place in the round, which no other task has.
  int turn = 0;

  /// Compares the rounds, and then the places in the round.
  friend auto operator<=>(const StreamTurn&, const StreamTurn&) = default;
};

/// One step of a rank: its part in one task.
struct RankStep {
  /// The number of the task, start_task or stop_task.
  TaskId task{};
  /// The place of the task in the order that all ranks begin the tasks in. The start has the place 0.
  int place = 0;
  /// The ranks of the group.
  std::vector<int> ranks;
  /// The plan of this rank in the group; null for the start and the stop.
  std::shared_ptr<const Plan> plan = nullptr;
  /// In a stream, the turn of the task.
  StreamTurn turn = {};
};

/// Everything that one rank does in a program, as plain data: a step for each task of its groups, the arrays
/// that it keeps between the steps, and the messages. All ranks begin their tasks in the order of the steps.
/// Messages travel while ranks compute.
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
  /// True if the rank runs the steps for each item of a stream. Then it reads at the start the points of the
  /// inputs of the program that its tasks read, and writes the points of the outputs that they compute.
  bool is_stream = false;
  /// The number of items whose held arrays and messages the rank has memory for.
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
  /// Prepares plans for the ranks of a schedule, which begin their tasks in the order of tasks_in_order.
  /// `target` describes the machine of each rank; its memory limits each rank. `program` must outlive the
  /// planner. With a window above 0 the plans are for the items of a stream: no rank has memory for more
  /// items than the window. Throws InputError if the program is not well formed (see Program::check), or if
  /// the groups and the order of the schedule cannot be run (see check_groups_and_order). Throws the
  /// exceptions of make_plan.
  ProgramPlanner(const Program& program, const GroupSchedule& schedule, const Target& target, int window = 0);
  ~ProgramPlanner();
  ProgramPlanner(const ProgramPlanner&) = delete;
  ProgramPlanner& operator=(const ProgramPlanner&) = delete;

  /// Returns the plan of a rank. Throws InputError with the name of the task if the rank lacks memory.
  ProgramPlan plan(int rank) const;
  /// Returns the plans of all ranks.
  std::vector<ProgramPlan> plans() const;

 private:
  bool is_stream() const { return window_ > 0; }
  void add_steps(ProgramPlan& plan) const;
  void add_held(ProgramPlan& plan, int array) const;
  void add_sends(ProgramPlan& plan, int array) const;
  void add_receives(ProgramPlan& plan, int array) const;
  void count_items(ProgramPlan& plan) const;
  void place_memory(ProgramPlan& plan) const;
  void count_memory(ProgramPlan& plan) const;
  void check_memory(const ProgramPlan& plan) const;

  const Program& program_;
  Target target_;
  int rank_count_;
  int window_;
  /// The tasks, in the order that ranks begin them in.
  std::vector<ScheduledTask> tasks_;
  /// The turns of a stream, by task.
  IdVector<TaskId, StreamTurn> turns_;
  /// The pipelines of the tasks with complete schedules, in the order of `tasks_`.
  std::vector<std::unique_ptr<ScheduledPipeline>> scheduled_;
  /// The routes of each array, by the number of the array.
  IdVector<int, ArrayRoutes> routes_;
};

/// Returns the schedule that gives every task the first `group_size` of `rank_count` ranks, so that the tasks
/// follow each other. Its times only say the order.
GroupSchedule data_parallel_schedule(const Program& program, int group_size, int rank_count);

/// Returns the tasks of a schedule in the order that ranks begin them in: by their starts, and tasks that
/// start together after the tasks that they depend on.
std::vector<ScheduledTask> tasks_in_order(const Program& program, const GroupSchedule& schedule);

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
  TaskId task{};
  /// The kind of work that the rank does.
  Kind kind = Kind::wait;
  /// The node of the plan of the task; null unless the kind is `compute`.
  const PlanNode* node = nullptr;
  /// The item of a stream; 0 if the program runs once.
  std::int64_t item = 0;
};

/// Is called on a rank whenever a part of a step begins, and the last one has therefore ended.
using PartObserver = std::function<void(const StepPart&)>;

/// Returns lines about a program on all ranks: the arrays that travel between tasks, the messages between
/// ranks, and the most memory of a rank. `plans` has the plans of all ranks.
std::string explain(const Program& program, const std::vector<ProgramPlan>& plans);

/// Returns lines about one rank: its steps in order, with the messages that it awaits before each and sends
/// after each, and what it keeps in memory.
std::string explain(const Program& program, const ProgramPlan& plan);

}  // namespace tessera::group
