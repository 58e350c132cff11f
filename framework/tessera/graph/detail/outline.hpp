// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/graph/declaration.hpp"

namespace tessera::graph::detail {

/// A task as users know it. The two ends of a loop are one task, and so are the two ends of `replicate`.
struct OutlinedTask {
  /// The number of the task. It is the number of the beginning for tasks with two ends.
  int number = -1;
  /// The declaration. For tasks with two ends it is that of the end that has a body.
  const TaskDeclaration* task = nullptr;
  /// The numbers of the flows that the task reads and emits.
  std::vector<int> inputs = {};
  std::vector<int> outputs = {};
  /// The number of loops and scatters that the task is inside of.
  int depth = 0;
};

/// A graph as users know it.
class Outline {
 public:
  /// Makes the outline of `graph`, which must outlive it.
  explicit Outline(const Declaration& graph);

  const Declaration& graph() const { return graph_; }
  /// Returns the tasks, so that each one comes after those whose items it reads. Ways back are not followed.
  const std::vector<OutlinedTask>& tasks() const { return tasks_; }
  /// Returns the name of the task that emits the flow.
  const std::string& producer(int flow) const { return name_of_task(graph_.flow(flow).producer); }
  /// Returns the names of the tasks that read the flow.
  std::vector<std::string> readers(int flow) const;
  /// Returns the name of the task with this number. For the end of a loop or of `replicate` it is the name of
  /// the beginning.
  const std::string& name_of_task(int number) const;

 private:
  int depth_of(const TaskDeclaration& task) const;

  const Declaration& graph_;
  std::vector<OutlinedTask> tasks_;
};

}  // namespace tessera::graph::detail
