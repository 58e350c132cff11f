// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tessera/cost/work_costs.hpp"

namespace tessera::group {

/// A task of a program: a piece of work that a group of ranks does together, such as an operator on an image.
struct Task {
  /// The name, which no other task of the graph has.
  std::string name;
  /// The cost.
  cost::TaskCost cost;
  /// The kind of work, such as the name of an operator. Tasks of one type do the same with other data.
  std::string type;
  /// The greatest number of ranks that the task can use, at least 1. Without it, the task can use all of
  /// them.
  std::optional<int> most_ranks;

  friend bool operator==(const Task&, const Task&) = default;
};

/// An array that one task writes and another one reads, with the ids of the tasks. An edge without bytes says
/// only that one task comes before the other.
struct Edge {
  /// The id of the task that writes the array.
  int from = 0;
  /// The id of the task that reads the array.
  int to = 0;
  /// The name of the array.
  std::string array;
  /// The size of the array in bytes.
  std::int64_t bytes = 0;

  friend bool operator==(const Edge&, const Edge&) = default;
};

/// The tasks of a program with their costs, as a graph: the image application task graph (IATG) of Nicolescu
/// and Jonker, "A data and task parallel image processing environment", Parallel Computing 28 (2002). Ids of
/// tasks are their places in the list, from 0. The start and the stop of a program need no tasks: they are
/// before the tasks without predecessors, and after those without successors. `task_graph` makes the graph of
/// a Program, which has checked its tasks.
class TaskGraph {
 public:
  /// Makes a graph without tasks.
  TaskGraph() = default;
  /// Makes a graph. Throws InternalError if an edge is not between two tasks, or if there is a cycle.
  TaskGraph(std::vector<Task> tasks, std::vector<Edge> edges);

  /// Returns the tasks, by id.
  const std::vector<Task>& tasks() const { return tasks_; }
  /// Returns the edges.
  const std::vector<Edge>& edges() const { return edges_; }
  /// Returns the number of tasks.
  int size() const { return static_cast<int>(tasks_.size()); }
  /// Returns the ids of all tasks, each after its predecessors. Of tasks that could be next, the one with the
  /// lowest id is next.
  const std::vector<int>& topological_order() const { return order_; }
  /// Returns the ids of all tasks in the opposite order: each before its predecessors.
  const std::vector<int>& backward_order() const { return backward_order_; }
  /// Returns the edges that end at a task.
  const std::vector<Edge>& edges_to(int task) const { return edges_to_[static_cast<std::size_t>(task)]; }
  /// Returns the edges that begin at a task.
  const std::vector<Edge>& edges_from(int task) const { return edges_from_[static_cast<std::size_t>(task)]; }
  /// Returns the level of each task: the greatest number of edges on a path to it.
  const std::vector<int>& levels() const { return levels_; }

  /// Returns the most ranks that a task can have on a machine with so many.
  int most_ranks(int task, int ranks) const;
  /// Returns the seconds of a task on so many ranks.
  double seconds(int task, double ranks) const {
    return tasks_[static_cast<std::size_t>(task)].cost.seconds(ranks);
  }

 private:
  std::vector<Task> tasks_;
  std::vector<Edge> edges_;
  std::vector<std::vector<Edge>> edges_to_, edges_from_;
  std::vector<int> order_, backward_order_;
  std::vector<int> levels_;
};

}  // namespace tessera::group

namespace tessera::group::detail {

/// The tasks of a graph in an order in which they can run, or a cycle that forbids it.
struct TaskOrder {
  /// The ids of the tasks, each after its predecessors. Of tasks that could be next, the one with the lowest
  /// id is next. Tasks that depend on a cycle are missing.
  std::vector<int> tasks;
  /// The ids of the tasks of a cycle, each before a task that depends on it, and the lowest one first; empty
  /// if there is no cycle.
  std::vector<int> cycle;
};

/// Returns the order of tasks. `predecessors` has the tasks that each task depends on; it may name a task
/// twice.
TaskOrder task_order(const std::vector<std::vector<int>>& predecessors);

}  // namespace tessera::group::detail
