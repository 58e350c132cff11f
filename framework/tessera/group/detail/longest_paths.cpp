// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/detail/longest_paths.hpp"

#include <algorithm>

namespace tessera::group::detail {

std::vector<double> paths_before(const TaskGraph& graph, std::span<const double> seconds,
                                 std::span<const double> edge_seconds) {
  std::vector<double> paths(seconds.size());
  for (const int task : graph.topological_order())
    for (const int place : graph.edges_to(task)) {
      const auto edge = static_cast<std::size_t>(place);
      const auto from = static_cast<std::size_t>(graph.edges()[edge].from);
      double& own = paths[static_cast<std::size_t>(task)];
      own = std::max(own, paths[from] + seconds[from] + (edge_seconds.empty() ? 0 : edge_seconds[edge]));
    }
  return paths;
}

std::vector<double> paths_after(const TaskGraph& graph, std::span<const double> seconds) {
  std::vector<double> paths(seconds.size());
  for (const int task : graph.backward_order())
    for (const int place : graph.edges_from(task)) {
      const auto to = static_cast<std::size_t>(graph.edges()[static_cast<std::size_t>(place)].to);
      double& own = paths[static_cast<std::size_t>(task)];
      own = std::max(own, paths[to] + seconds[to]);
    }
  return paths;
}

}  // namespace tessera::group::detail
