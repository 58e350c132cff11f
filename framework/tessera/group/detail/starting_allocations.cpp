// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/detail/starting_allocations.hpp"

#include <algorithm>
#include <limits>
#include <optional>

namespace tessera::group::detail {
namespace {

/// Gives one task of the critical path more ranks, by a quarter: the task that becomes faster by the most
/// seconds for the area that this adds. Returns false if none becomes faster.
bool grow_path(const TaskGraph& graph, int ranks, const IdVector<TaskId, double>& levels,
               Allocation& allocation) {
  std::optional<TaskId> best;
  int ranks_of_best = 0;
  double most = 0;
  for (auto task = static_cast<TaskId>(std::ranges::max_element(levels) - levels.begin());;) {
    const int own = allocation[task];
    const int more = std::min(own + std::max(1, own / 4), graph.most_ranks(task, ranks));
    const double before = graph.seconds(task, own), after = graph.seconds(task, more);
    // The price of more ranks is the area that they add. Its second term lets the task that becomes faster by
    // the greatest share come first where tasks add hardly any area.
    const double price = std::max(0.0, more * after - own * before) / ranks + 0.01 * before;
    if (before - after > most * price) {
      most = (before - after) / price;
      best = task;
      ranks_of_best = more;
    }
    const std::vector<Edge>& later = graph.edges_from(task);
    if (later.empty()) break;
    task = std::ranges::max_element(later, {}, [&](const Edge& edge) { return levels[edge.to]; })->to;
  }
  if (best) allocation[*best] = ranks_of_best;
  return best.has_value();
}

/// Gives the tasks of one level ranks in proportion to their seconds, as if they ran in `rounds` rounds.
/// Returns the seconds of the level.
double divide_level(const TaskGraph& graph, int ranks, const std::vector<TaskId>& level, int rounds,
                    Allocation& allocation) {
  const auto count = static_cast<int>(level.size());
  const int at_once = (count + rounds - 1) / rounds;
  double total = 0, longest = 0;
  for (const TaskId task : level) total += graph.seconds(task, 1);
  for (const TaskId task : level) {
    const double share = total > 0 ? graph.seconds(task, 1) / total * rounds : 1.0 / at_once;
    const int own =
        std::clamp(static_cast<int>(share * ranks * (1 + 1e-12)), 1, graph.most_ranks(task, ranks));
    allocation[task] = own;
    longest = std::max(longest, graph.seconds(task, own));
  }
  return longest * std::max(rounds, (count + ranks - 1) / ranks);
}

}  // namespace

std::vector<Allocation> grown_on_paths(const TaskGraph& graph, int ranks) {
  // Allocations are kept when the critical path becomes shorter than these multiples of the area for each
  // rank.
  constexpr double path_by_area[] = {2, 1.5, 1.25, 1, 0.8, 0.65, 0.5};
  std::vector<Allocation> result;
  Allocation allocation(graph.tasks().size(), 1);
  for (std::size_t next = 0; next < std::size(path_by_area);) {
    const IdVector<TaskId, double> levels = bottom_levels(graph, allocation, {});
    double area = 0, path = 0;
    for (const TaskId task : levels.ids()) {
      area += allocation[task] * graph.seconds(task, allocation[task]) / ranks;
      path = std::max(path, levels[task]);
    }
    const bool is_short = path <= path_by_area[next] * area;
    if (!is_short && grow_path(graph, ranks, levels, allocation)) continue;
    result.push_back(allocation);
    next = is_short ? next + 1 : std::size(path_by_area);
  }
  return result;
}

Allocation divided_by_levels(const TaskGraph& graph, int ranks) {
  IdVector<int, std::vector<TaskId>> levels;
  for (const TaskId task : graph.tasks().ids()) {
    const int level = graph.levels()[task];
    levels.resize(std::max(levels.size(), level + 1));
    levels[level].push_back(task);
  }
  Allocation allocation(graph.tasks().size(), 1);
  for (const std::vector<TaskId>& level : levels) {
    int best = 1;
    double least = std::numeric_limits<double>::infinity();
    for (int rounds = 1; rounds <= static_cast<int>(level.size()); ++rounds) {
      const double seconds = divide_level(graph, ranks, level, rounds, allocation);
      if (seconds >= least) continue;
      least = seconds;
      best = rounds;
    }
    divide_level(graph, ranks, level, best, allocation);
  }
  return allocation;
}

Allocation equal_ranks(const TaskGraph& graph, int ranks_of_task) {
  Allocation allocation;
  for (const TaskId task : graph.tasks().ids()) allocation.push_back(graph.most_ranks(task, ranks_of_task));
  return allocation;
}

}  // namespace tessera::group::detail
