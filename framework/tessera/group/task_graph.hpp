// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tessera/cost/machine_description.hpp"
#include "tessera/cost/work_costs.hpp"
#include "tessera/domain/id_vector.hpp"

namespace tessera::group {

/// The number of a task in its program and in the graph of its program, from 0.
enum class TaskId : int {};

/// A number of ranks for each task.
using Allocation = IdVector<TaskId, int>;

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
  TaskId from{};
  /// The id of the task that reads the array.
  TaskId to{};
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
  const IdVector<TaskId, Task>& tasks() const { return tasks_; }
  /// Returns the edges.
  const std::vector<Edge>& edges() const { return edges_; }
  /// Returns the number of tasks.
  int size() const { return tasks_.size(); }
  /// Returns the ids of all tasks, each after its predecessors. If several tasks could be next, the lowest id
  /// is next.
  const std::vector<TaskId>& topological_order() const { return order_; }
  /// Returns the edges that end at a task.
  const std::vector<Edge>& edges_to(TaskId task) const { return edges_to_[task]; }
  /// Returns the edges that begin at a task.
  const std::vector<Edge>& edges_from(TaskId task) const { return edges_from_[task]; }
  /// Returns the level of each task: the greatest number of edges on a path to it.
  const IdVector<TaskId, int>& levels() const { return levels_; }

  /// Returns the most ranks that a task can have on a machine with `ranks` ranks.
  int most_ranks(TaskId task, int ranks) const;
  /// Returns the seconds of a task on `ranks` ranks.
  double seconds(TaskId task, double ranks) const { return tasks_[task].cost.seconds(ranks); }

 private:
  IdVector<TaskId, Task> tasks_;
  std::vector<Edge> edges_;
  IdVector<TaskId, std::vector<Edge>> edges_to_, edges_from_;
  std::vector<TaskId> order_;
  IdVector<TaskId, int> levels_;
};

/// A way that arrays travel between two groups.
enum class Travel {
  /// Each rank sends what it has directly to the ranks that need it.
  between_ranks,
  /// The first rank of one group sends the whole array to the first rank of the other one, which are the
  /// hosts that collect and distribute it inside of their groups.
  between_hosts,
};

/// The cost of edges: the network, and the way that arrays travel.
struct Communication {
  /// The cost of a message.
  cost::NetworkCost network;
  /// The way that arrays travel.
  Travel travel = Travel::between_ranks;
};

/// Returns the seconds that an array takes from a group to a group with other ranks. It is cut into equal
/// blocks, which are intervals, one for each rank. All messages are sent and received at the same time: the
/// cost is the time of the rank with the most to send or to receive. An array without bytes takes no time.
double seconds_between_groups(const Communication& communication, std::int64_t bytes, int from, int to);

/// Returns the seconds that an array takes from the ranks of one task to the ranks of another. It takes none
/// if both lists are equal, or if arrays travel between hosts and both lists begin with the same rank.
double travel_seconds(const Communication& communication, std::int64_t bytes, std::span<const int> from,
                      std::span<const int> to);

/// Returns the critical path of an allocation where each array travels to other ranks.
double critical_path(const TaskGraph& graph, const Allocation& allocation,
                     const Communication& communication);

/// Returns for each task the greatest sum of the seconds of tasks and edges on a path from the beginning of
/// this task to the end of the program, where each array travels to other ranks.
IdVector<TaskId, double> bottom_levels(const TaskGraph& graph, const Allocation& allocation,
                                       const Communication& communication);

/// Returns the seconds of an edge between the ranks of its tasks, if these lists of ranks differ.
double edge_seconds(const Edge& edge, const Allocation& allocation, const Communication& communication);

}  // namespace tessera::group

namespace tessera::group::detail {

/// The tasks of a graph in an order that they can run in, or a cycle that forbids it.
struct TaskOrder {
  /// The ids of the tasks, each after its predecessors. If several tasks could be next, the lowest id is
  /// next. Tasks that depend on a cycle are missing.
  std::vector<TaskId> tasks;
  /// The ids of the tasks of a cycle, each before a task that depends on it, and the lowest one first; empty
  /// if there is no cycle.
  std::vector<TaskId> cycle;
};

/// Returns the order of tasks. `predecessors` has the tasks that each task depends on; it may name a task
/// twice.
TaskOrder task_order(const IdVector<TaskId, std::vector<TaskId>>& predecessors);

}  // namespace tessera::group::detail
