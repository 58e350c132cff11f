// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/detail/graph_windows.hpp"

#include <algorithm>

#include "tessera/group/graph_costs.hpp"

namespace tessera::group::detail {
namespace {

/// Returns for each task whether each other task comes after it.
std::vector<std::vector<bool>> reachability(const TaskGraph& graph) {
  const auto count = static_cast<std::size_t>(graph.size());
  std::vector<std::vector<bool>> reaches(count, std::vector<bool>(count));
  for (const int task : graph.backward_order()) {
    std::vector<bool>& own = reaches[static_cast<std::size_t>(task)];
    for (const int place : graph.edges_from(task)) {
      const auto to = static_cast<std::size_t>(graph.edges()[static_cast<std::size_t>(place)].to);
      own[to] = true;
      for (std::size_t i = 0; i < count; ++i) own[i] = own[i] || reaches[to][i];
    }
  }
  return reaches;
}

struct RatedWindow {
  double length = 0;
  int after = -1;
  int before = -1;
};

}  // namespace

std::vector<GraphWindow> overfull_windows(const TaskGraph& graph, const TaskWork& work, double length,
                                          std::size_t most) {
  const auto reaches = reachability(graph);
  const std::vector<double> befores = paths_before(graph, work.seconds);
  const std::vector<double> afters = paths_after(graph, work.seconds);
  const auto is_inside = [&](std::size_t task, int after, int before) {
    return (after < 0 || reaches[static_cast<std::size_t>(after)][task]) &&
           (before < 0 || reaches[task][static_cast<std::size_t>(before)]);
  };
  const auto through = [&](int task, const std::vector<double>& paths) {
    return paths[static_cast<std::size_t>(task)] + work.seconds[static_cast<std::size_t>(task)];
  };
  std::vector<RatedWindow> rated;
  for (int after = -1; after < graph.size(); ++after)
    for (int before = -1; before < graph.size(); ++before) {
      const bool is_whole = after < 0 && before < 0;
      const bool is_empty = after >= 0 && before >= 0 &&
                            !reaches[static_cast<std::size_t>(after)][static_cast<std::size_t>(before)];
      if (is_whole || is_empty) continue;
      double whole = after < 0 ? 0 : through(after, befores);
      whole += before < 0 ? 0 : through(before, afters);
      for (std::size_t task = 0; task < work.area.size(); ++task)
        if (is_inside(task, after, before)) whole += work.area[task];
      if (whole > length * 1.001) rated.push_back({whole, after, before});
    }
  std::ranges::stable_sort(rated, std::ranges::greater(), &RatedWindow::length);
  std::vector<bool> begins(work.area.size()), ends(work.area.size());
  std::vector<GraphWindow> windows;
  for (const auto& [whole, after, before] : rated) {
    if (windows.size() == most) break;
    if ((after >= 0 && begins[static_cast<std::size_t>(after)]) ||
        (before >= 0 && ends[static_cast<std::size_t>(before)]))
      continue;
    if (after >= 0) begins[static_cast<std::size_t>(after)] = true;
    if (before >= 0) ends[static_cast<std::size_t>(before)] = true;
    GraphWindow& window = windows.emplace_back(GraphWindow{after, before, {}});
    for (std::size_t task = 0; task < work.area.size(); ++task)
      if (is_inside(task, after, before)) window.tasks.push_back(static_cast<int>(task));
  }
  return windows;
}

}  // namespace tessera::group::detail
