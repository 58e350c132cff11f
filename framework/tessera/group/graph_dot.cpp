// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/graph_dot.hpp"

#include <fmt/format.h>

#include <map>

#include "tessera/domain/counted.hpp"
#include "tessera/domain/dot_quoted.hpp"
#include "tessera/domain/human_bytes.hpp"
#include "tessera/group/rank_ranges.hpp"

namespace tessera::group {
namespace {

/// Returns a colour of Graphviz for each list of ranks: its hues are as far apart as those of the golden
/// angle.
std::string colour_of_group(std::size_t group) {
  const double turns = static_cast<double>(group) * 0.618033988749895;
  return fmt::format("{:.3f} 0.25 1.0", turns - static_cast<double>(static_cast<std::int64_t>(turns)));
}

std::string node(const TaskGraph& graph, int id, const ScheduledTask* placed, const std::string& colour) {
  const Task& task = graph.tasks()[static_cast<std::size_t>(id)];
  // Graphviz breaks lines at \n, which dot_quoted would take for a backslash of the name.
  std::string label = dot_quoted(task.name);
  label.pop_back();
  if (!task.type.empty() && task.type != task.name)
    label += "\\n" + dot_quoted(task.type).substr(1, dot_quoted(task.type).size() - 2);
  label += fmt::format("\\n{:.4g} s on 1 rank", graph.seconds(id, 1));
  if (placed != nullptr)
    label += fmt::format("\\n{:.4g} s on {}: {}", placed->finish - placed->start,
                         counted(static_cast<std::int64_t>(placed->ranks.size()), "rank"),
                         ranges_text(placed->ranks));
  const std::string fill = colour.empty() ? "" : fmt::format(", style=filled, fillcolor=\"{}\"", colour);
  return fmt::format("  task{} [label={}\"{}];\n", id, label, fill);
}

}  // namespace

std::string to_dot(const TaskGraph& graph, const GroupSchedule* schedule) {
  std::vector<const ScheduledTask*> placed(graph.tasks().size(), nullptr);
  std::map<std::vector<int>, std::size_t> groups;
  if (schedule != nullptr)
    for (const ScheduledTask& task : schedule->tasks) {
      placed[static_cast<std::size_t>(task.task)] = &task;
      groups.emplace(task.ranks, groups.size());
    }
  std::string text = "digraph tasks {\n  node [shape=box];\n";
  for (int id = 0; id < graph.size(); ++id) {
    const ScheduledTask* const own = placed[static_cast<std::size_t>(id)];
    text += node(graph, id, own, own == nullptr ? "" : colour_of_group(groups.at(own->ranks)));
  }
  for (const Edge& edge : graph.edges()) {
    std::string label = dot_quoted(edge.array);
    label.pop_back();
    if (edge.bytes > 0)
      label += fmt::format("{}{}", edge.array.empty() ? "" : "\\n", human_bytes(edge.bytes));
    text += fmt::format("  task{} -> task{} [label={}\"];\n", edge.from, edge.to, label);
  }
  return text + "}\n";
}

}  // namespace tessera::group
