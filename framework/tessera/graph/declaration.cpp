// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/graph/declaration.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/domain/error.hpp"

namespace tessera::graph::detail {

std::string_view name_of(TaskKind kind) {
  switch (kind) {
    case TaskKind::source:
      return "source";
    case TaskKind::input:
      return "input";
    case TaskKind::task:
      return "task";
    case TaskKind::keeper:
      return "keeper";
    case TaskKind::sink:
      return "sink";
    case TaskKind::output:
      return "output";
    case TaskKind::scatter:
      return "scatter";
    case TaskKind::gather:
      return "gather";
    case TaskKind::route:
      return "replicate";
    case TaskKind::send:
      return "send";
    case TaskKind::turn:
    case TaskKind::enter:
      return "loop";
    case TaskKind::feedback:
      return "feedback";
    case TaskKind::merge:
      return "merge";
  }
  return "task";
}

std::string title(const TaskDeclaration& task) {
  return fmt::format("{} '{}'", name_of(task.kind), task.name);
}

const FlowDeclaration& Declaration::flow(int id) const {
  if (id < 0 || id >= static_cast<int>(flows.size()))
    throw InputError(fmt::format("graph '{}' does not have a flow that it is given: use its own", name));
  return flows[static_cast<std::size_t>(id)];
}

int Declaration::add_task(TaskDeclaration task) {
  const int id = static_cast<int>(tasks.size());
  for (std::size_t input = 0; input < task.inputs.size(); ++input)
    flow(task.inputs[input]).readers.push_back({id, static_cast<int>(input)});
  tasks.push_back(std::move(task));
  return id;
}

int Declaration::add_flow(int producer, int region, bool several) {
  const int id = static_cast<int>(flows.size());
  flows.push_back({.producer = producer, .region = region, .several = several});
  if (several) flows.back().several_from = producer;
  task(producer).outputs.push_back(id);
  return id;
}

int Declaration::add_region(int parent, Scope::Kind kind, int task) {
  regions.push_back({parent, kind, task});
  return static_cast<int>(regions.size()) - 1;
}

int Declaration::common_region(const std::vector<int>& inputs) {
  int first = -1;
  bool are_equal = true, are_roots = true;
  for (const int input : inputs) {
    const int own = flow(input).region;
    if (own < 0) continue;  // The flow is a feedback that is not closed yet.
    if (first < 0) first = own;
    are_equal = are_equal && own == first;
    are_roots = are_roots && region(own).parent < 0;
  }
  if (first < 0)
    throw InputError(
        fmt::format("a task reads feedback '{}' alone: merge it with another flow, or use a keeper",
                    task(flow(inputs.front()).producer).name));
  return are_equal || !are_roots ? first : add_region(-1, Scope::Kind::root, -1);
}

int Declaration::several_from(const std::vector<int>& inputs) const {
  for (const int input : inputs)
    if (flow(input).several) return flow(input).several_from;
  return -1;
}

std::vector<int> topological_order(const Declaration& graph) {
  std::vector<int> missing(graph.tasks.size()), order, ready;
  const auto is_way_back = [](const TaskDeclaration& task) { return task.kind == TaskKind::feedback; };
  for (std::size_t id = 0; id < graph.tasks.size(); ++id) {
    missing[id] = is_way_back(graph.tasks[id]) ? 0 : static_cast<int>(graph.tasks[id].inputs.size());
    if (missing[id] == 0) ready.push_back(static_cast<int>(id));
  }
  while (!ready.empty()) {
    const int id = *std::ranges::min_element(ready);
    std::erase(ready, id);
    order.push_back(id);
    for (std::size_t output = 0; output < graph.task(id).outputs.size(); ++output) {
      if (graph.task(id).kind == TaskKind::turn && output == 1) continue;
      for (const Reader& reader : graph.flow(graph.task(id).outputs[output]).readers)
        if (!is_way_back(graph.task(reader.task)) && --missing[static_cast<std::size_t>(reader.task)] == 0)
          ready.push_back(reader.task);
    }
  }
  return order;
}

std::vector<int> depths(const Declaration& graph) {
  std::vector<int> depth(graph.tasks.size(), 0);
  for (const int id : topological_order(graph))
    for (std::size_t output = 0; output < graph.task(id).outputs.size(); ++output) {
      if (graph.task(id).kind == TaskKind::turn && output == 1) continue;
      for (const Reader& reader : graph.flow(graph.task(id).outputs[output]).readers) {
        int& to = depth[static_cast<std::size_t>(reader.task)];
        if (graph.task(reader.task).kind != TaskKind::feedback)
          to = std::max(to, depth[static_cast<std::size_t>(id)] + 1);
      }
    }
  return depth;
}

}  // namespace tessera::graph::detail
