// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

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

/// An input or an output of a task.
struct Port {
  /// The number of the task.
  int task = 0;
  /// The id of the array in the pipeline of the task.
  int array = 0;

  /// Returns true when both ports are the same array of the same task.
  bool operator==(const Port&) const = default;
};

/// An array that travels between tasks. An output of a task computes it, or it is an input of the program.
struct ProgramArray {
  /// The name: that of the input of the program, or `task.output`.
  std::string name;
  /// The type of the points.
  ElementType type = ElementType::uint8;
  /// All points of the array.
  Box domain;
  /// The output that computes the array. The task is -1 if the array is an input of the program.
  Port producer = {-1, -1};
  /// The inputs of tasks that read the array, in the order in which they were connected.
  std::vector<Port> uses = {};
  /// The name of the output of the program; empty if the array is not an output of the program.
  std::string output = {};
  /// The points of the output of the program, which are a part of `domain`.
  Box written = {};

  /// Whether the array is an input of the program.
  bool is_input() const { return producer.task < 0; }
  /// The bytes of one point.
  std::int64_t element_bytes() const { return static_cast<std::int64_t>(size_of(type)); }
};

/// A program of tasks, each of which is a pipeline: the image application task graph of C. Nicolescu and
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
  int add(std::string name, Algorithm pipeline, Schedule schedule = {});
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
  const std::vector<ProgramTask>& tasks() const { return tasks_; }
  /// The number of tasks.
  int task_count() const { return static_cast<int>(tasks_.size()); }
  /// The task with this number, which must exist.
  const ProgramTask& task(int number) const { return tasks_[static_cast<std::size_t>(number)]; }
  /// The arrays that travel between tasks, in the order in which they were first named.
  const std::vector<ProgramArray>& arrays() const { return arrays_; }
  /// The array with this number, which must exist.
  const ProgramArray& array(int number) const { return arrays_[static_cast<std::size_t>(number)]; }
  /// The number of the array that an input of a task reads; -1 if the input is not connected.
  int read_at(const Port& input) const;
  /// The number of the array that an output of a task computes; -1 if the output is not connected.
  int computed_at(const Port& output) const;

  /// Throws InputError unless the program is well formed: there are tasks, every input of every task has a
  /// producer, every output of every task is read or is an output of the program, and no task depends on
  /// itself.
  void check() const;
  /// Returns the numbers of the tasks in an order in which every task comes after those that it depends on.
  /// Tasks that could swap places are in the order of their numbers. Throws InputError with the names of the
  /// tasks of a cycle if there is one.
  std::vector<int> order() const;

 private:
  int find_task(std::string_view name) const;
  Port find_output(std::string_view task, std::string_view output) const;
  Port find_input(std::string_view task, std::string_view input) const;
  /// Adds a use of an array. Throws InputError if the input has a producer, or differs from the array.
  void use(ProgramArray& array, const Port& port);
  int add_computed(const Port& producer);
  std::string name_of(const Port& port) const;
  /// Returns, for each task, the tasks that it depends on.
  std::vector<std::vector<int>> predecessors() const;

  std::vector<ProgramTask> tasks_;
  std::vector<ProgramArray> arrays_;
};

}  // namespace tessera::group
