// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tessera/group/task_graph.hpp"
#include "tessera/pipeline/algorithm/algorithm.hpp"
#include "tessera/pipeline/schedule/schedule.hpp"

namespace tessera::group {

/// One task of a program: a pipeline with its schedule.
struct ProgramTask {
  /// The name, which no other task of the program has.
  std::string name;
  /// The pipeline. Its inputs and outputs are the ends of the edges of the program.
  Algorithm pipeline;
  /// The schedule of the pipeline on the ranks of its group.
  Schedule schedule;
};

/// Stands for the start of a program, where all ranks read its inputs.
inline constexpr TaskId start_task{-1};
/// Stands for the stop of a program, where all ranks write its outputs.
inline constexpr TaskId stop_task{-2};

/// An input or an output of a task.
struct Port {
  /// The number of the task.
  TaskId task{};
  /// The id of the array in the pipeline of the task.
  ArrayId array = {};

  /// Returns true when both ports are the same array of the same task.
  bool operator==(const Port&) const = default;
};

/// An array that travels between tasks. An output of a task computes it, or it is an input of the program.
struct ProgramArray {
  /// The name of the input of the program, or `task.output`.
  std::string name;
  /// The type of the points.
  ElementType type = ElementType::uint8;
  /// All points of the array.
  Box domain;
  /// The output that computes the array. The task is start_task if the array is an input of the program.
  Port producer = {start_task, no_array};
  /// The inputs of tasks that read the array, in the order of the calls that connected them.
  std::vector<Port> uses = {};
  /// The name of the output of the program; empty if the array is not an output of the program.
  std::string output = {};
  /// The points of the output of the program, which are a part of `domain`.
  Box written = {};

  /// Returns true if the array is an input of the program.
  bool is_input() const { return producer.task == start_task; }
  /// The bytes of one point.
  std::int64_t element_bytes() const { return static_cast<std::int64_t>(size_of(type)); }
};

/// A program of tasks. Each task is a pipeline: the image application task graph of C. Nicolescu and
/// P. Jonker, A data and task parallel image processing environment, Parallel Computing 28, 2002, section 4.
/// An edge carries an output of one task to an input of another one. Edges from the start of the program
/// carry its inputs, and edges to its stop carry its outputs:
///
///     Program program;
///     program.add("laplace", laplace_pipeline);
///     program.add("sobel", sobel_pipeline);
///     program.add("join", join_pipeline);
///     program.input("image", "laplace", "input");
///     program.input("image", "sobel", "input");
///     program.connect("laplace", "edges", "join", "a");
///     program.connect("sobel", "edges", "join", "b");
///     program.output("edges", "join", "sum");
///
/// A program says nothing about ranks. The functions throw InputError if a declaration is not valid.
class Program {
 public:
  /// Adds a task, and returns its number.
  TaskId add(std::string name, Algorithm pipeline, Schedule schedule = {});
  /// Carries the output `output` of the task `from` to the input `input` of the task `to`. An output may be
  /// carried to any number of inputs. Throws InputError if there are no such tasks or arrays, if the types or
  /// the domains of the two arrays differ, or if the input has a producer already.
  void connect(std::string_view from, std::string_view output, std::string_view to, std::string_view input);
  /// Carries the input `name` of the program to the input `input` of the task `to`. An input may be carried
  /// to any number of tasks. Throws InputError as `connect` does.
  void input(std::string_view name, std::string_view to, std::string_view input);
  /// Makes the points `written` of the output `output` of the task `from` an output of the program, with the
  /// name `name`. The default of `written` is the whole domain of the output. Throws InputError if there is
  /// no such output, or if it or the name is an output of the program already.
  void output(std::string_view name, std::string_view from, std::string_view output, const Box& written = {});

  /// The tasks, by number.
  const IdVector<TaskId, ProgramTask>& tasks() const { return tasks_; }
  /// The number of tasks.
  int task_count() const { return tasks_.size(); }
  /// The task with this number, which must exist.
  const ProgramTask& task(TaskId number) const { return tasks_[number]; }
  /// The arrays that travel between tasks, in the order of their first names in calls.
  const IdVector<int, ProgramArray>& arrays() const { return arrays_; }
  /// The array with this number, which must exist.
  const ProgramArray& array(int number) const { return arrays_[number]; }
  /// The number of the array that an input of a task reads; -1 if the input is not connected.
  int read_at(const Port& input) const;
  /// The number of the array that an output of a task computes; -1 if the output is not connected.
  int computed_at(const Port& output) const;

  /// Throws InputError unless the program is well formed: there are tasks, every input of every task has a
  /// producer, every output of every task is read or is an output of the program, and no task depends on
  /// itself.
  void check() const;
  /// Returns the numbers of the tasks, each task after the tasks that it depends on. Tasks that could swap
  /// places are in the order of their numbers. Throws InputError with the names of the
  /// tasks of a cycle if there is one.
  std::vector<TaskId> order() const;

 private:
  TaskId find_task(std::string_view name) const;
  Port find_output(std::string_view task, std::string_view output) const;
  Port find_input(std::string_view task, std::string_view input) const;
  /// Adds a use of an array. Throws InputError if the input has a producer, or differs from the array.
  void use(ProgramArray& array, const Port& port);
  int add_computed(const Port& producer);
  std::string name_of(const Port& port) const;
  /// Returns, for each task, the tasks that it depends on.
  IdVector<TaskId, std::vector<TaskId>> predecessors() const;

  IdVector<TaskId, ProgramTask> tasks_;
  IdVector<int, ProgramArray> arrays_;
};

/// Returns the tasks of a program as a graph with costs. The task with the id i is the task number i of the
/// program, and its cost is costs[i]. The bytes of an edge are the bytes of the whole array.
TaskGraph task_graph(const Program& program, const std::vector<cost::TaskCost>& costs);

/// The stages of a pipeline that are one task.
struct TaskStages {
  /// The name of the task.
  std::string task;
  /// The names of the stages. The name of one output of a stage stands for the stage.
  std::vector<std::string> stages;
};

/// Cuts a pipeline into tasks, and returns the program of these tasks, which computes the same outputs, bit
/// by bit. `tasks` says which stages are a task. Stages that no task names are added to tasks as follows:
/// - stages of a loop and the arrays that it changes from iteration to iteration belong together,
/// - a loop is a task of its own, with the name of the loop, if no task names one of its stages,
/// - a stage on a way from one stage of a task to another one belongs to this task,
/// - all others form further tasks: stages that depend on the same tasks are one task, with the name of its
///   last stage.
///
/// Arrays that are computed in one task and read in another one become an output and an input, on all points
/// that any stage of the pipeline reads. Outputs of tasks are computed by their owners: if the schedule says
/// anything else, it is not followed there. The loops of the tasks have the rounds of iterations that the
/// schedule asks for (see in_rounds).
///
/// Throws InputError if a task names a stage that the pipeline has not, an input, or a stage that another
/// task has already, if the stages of a loop would be in several tasks, or if tasks depend on each other in a
/// cycle. Throws ScheduleError if the schedule does not fit.
Program cut(const Algorithm& pipeline, const Schedule& schedule, const std::vector<TaskStages>& tasks);

}  // namespace tessera::group
