// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/graph_costs.hpp"

#include <algorithm>

namespace tessera::group {
namespace {

template <class Number>
double area_of(const TaskGraph& graph, std::span<const Number> ranks_of_tasks, int ranks) {
  double area = 0;
  for (int task = 0; task < graph.size(); ++task) {
    const auto own = static_cast<double>(ranks_of_tasks[static_cast<std::size_t>(task)]);
    area += own * graph.seconds(task, own);
  }
  return area / ranks;
}

}  // namespace

double average_area(const TaskGraph& graph, std::span<const double> ranks_of_tasks, int ranks) {
  return area_of(graph, ranks_of_tasks, ranks);
}

double average_area(const TaskGraph& graph, std::span<const int> ranks_of_tasks, int ranks) {
  return area_of(graph, ranks_of_tasks, ranks);
}

double critical_path(const TaskGraph& graph, std::span<const double> ranks_of_tasks) {
  std::vector<double> finish(ranks_of_tasks.size());
  double last = 0;
  for (const int task : graph.topological_order()) {
    double start = 0;
    for (const int place : graph.edges_to(task))
      start = std::max(start,
                       finish[static_cast<std::size_t>(graph.edges()[static_cast<std::size_t>(place)].from)]);
    const auto id = static_cast<std::size_t>(task);
    finish[id] = start + graph.seconds(task, ranks_of_tasks[id]);
    last = std::max(last, finish[id]);
  }
  return last;
}

double critical_path(const TaskGraph& graph, std::span<const int> ranks_of_tasks,
                     const Communication& communication) {
  const std::vector<double> levels = bottom_levels(graph, ranks_of_tasks, communication);
  return levels.empty() ? 0 : *std::ranges::max_element(levels);
}

std::vector<double> bottom_levels(const TaskGraph& graph, std::span<const int> ranks_of_tasks,
                                  const Communication& communication) {
  std::vector<double> levels(ranks_of_tasks.size());
  for (const int task : graph.backward_order()) {
    double after = 0;
    for (const int place : graph.edges_from(task)) {
      const Edge& edge = graph.edges()[static_cast<std::size_t>(place)];
      after = std::max(after, edge_seconds(edge, ranks_of_tasks, communication) +
                                  levels[static_cast<std::size_t>(edge.to)]);
    }
    const auto id = static_cast<std::size_t>(task);
    levels[id] = graph.seconds(task, ranks_of_tasks[id]) + after;
  }
  return levels;
}

double edge_seconds(const Edge& edge, std::span<const int> ranks_of_tasks,
                    const Communication& communication) {
  return seconds_between_groups(communication, edge.bytes,
                                ranks_of_tasks[static_cast<std::size_t>(edge.from)],
                                ranks_of_tasks[static_cast<std::size_t>(edge.to)]);
}

}  // namespace tessera::group
