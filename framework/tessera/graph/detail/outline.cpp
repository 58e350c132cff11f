// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/graph/detail/outline.hpp"

#include <algorithm>

namespace tessera::graph::detail {

Outline::Outline(const Declaration& graph) : graph_(graph) {
  for (const int number : topological_order(graph)) {
    const TaskDeclaration& task = graph.task(number);
    if (task.beginning < 0) {
      tasks_.push_back({number, &task, task.inputs, task.outputs, depth_of(task)});
      continue;
    }
    OutlinedTask& whole = *std::ranges::find(tasks_, task.beginning, &OutlinedTask::number);
    whole.inputs.insert(whole.inputs.end(), task.inputs.begin(), task.inputs.end());
    // The second output of the end of a loop leads back, and so is the same flow as that of the beginning.
    whole.outputs.push_back(task.outputs.front());
    if (task.make_body != nullptr) whole.task = &task;
  }
}

std::vector<std::string> Outline::readers(int flow) const {
  std::vector<std::string> names;
  for (const Reader& reader : graph_.flow(flow).readers) names.push_back(name_of_task(reader.task));
  return names;
}

const std::string& Outline::name_of_task(int number) const {
  const TaskDeclaration& task = graph_.task(number);
  return task.beginning < 0 ? task.name : graph_.task(task.beginning).name;
}

int Outline::depth_of(const TaskDeclaration& task) const {
  int region = task.region;
  if (region < 0) return 0;
  if (task.kind == TaskKind::enter || task.kind == TaskKind::scatter) region = graph_.region(region).parent;
  int depth = 0;
  while ((region = graph_.region(region).parent) >= 0) ++depth;
  return depth;
}

}  // namespace tessera::graph::detail
