// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/detail/starting_allocations.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tessera/group/graph_costs.hpp"

namespace tessera::group::detail {
namespace {

/// Returns the fewest ranks, up to `most`, on which a task takes at most so many seconds, or `most`.
int fewest_ranks(const TaskGraph& graph, int task, int most, double seconds) {
  int low = 1, high = most;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (graph.seconds(task, middle) <= seconds)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/// Gives the tasks of one level ranks by their seconds, in so many rounds.
double divide_level(const TaskGraph& graph, int ranks, const std::vector<int>& level, int rounds,
                    Allocation& allocation) {
  const auto count = static_cast<int>(level.size());
  const int at_once = (count + rounds - 1) / rounds;
  double total = 0, longest = 0;
  for (const int task : level) total += graph.seconds(task, 1);
  for (const int task : level) {
    const double share = total > 0 ? graph.seconds(task, 1) / total * rounds : 1.0 / at_once;
    const int own =
        std::clamp(static_cast<int>(share * ranks * (1 + 1e-12)), 1, graph.most_ranks(task, ranks));
    allocation[static_cast<std::size_t>(task)] = own;
    longest = std::max(longest, graph.seconds(task, own));
  }
  return longest * std::max(rounds, (count + ranks - 1) / ranks);
}

}  // namespace

Allocation rounded(const TaskGraph& graph, int ranks, std::span<const double> ranks_of_tasks) {
  Allocation allocation;
  for (int task = 0; task < graph.size(); ++task)
    allocation.push_back(
        std::clamp(static_cast<int>(std::lround(ranks_of_tasks[static_cast<std::size_t>(task)])), 1,
                   graph.most_ranks(task, ranks)));
  return allocation;
}

Allocation rounded_down(const TaskGraph& graph, int ranks, std::span<const double> ranks_of_tasks) {
  Allocation allocation;
  for (int task = 0; task < graph.size(); ++task)
    allocation.push_back(
        std::clamp(static_cast<int>(ranks_of_tasks[static_cast<std::size_t>(task)] * (1 + 1e-4)), 1,
                   graph.most_ranks(task, ranks)));
  return allocation;
}

Allocation shrunk(const TaskGraph& graph, Allocation allocation, double deadline) {
  std::vector<double> seconds;
  for (int task = 0; task < graph.size(); ++task)
    seconds.push_back(graph.seconds(task, allocation[static_cast<std::size_t>(task)]));
  std::vector<int> by_area(allocation.size());
  std::iota(by_area.begin(), by_area.end(), 0);
  std::ranges::stable_sort(by_area, std::ranges::greater(), [&](int task) {
    return seconds[static_cast<std::size_t>(task)] * allocation[static_cast<std::size_t>(task)];
  });
  for (const int task : by_area) {
    const auto id = static_cast<std::size_t>(task);
    const double before = paths_before(graph, seconds)[id], after = paths_after(graph, seconds)[id];
    allocation[id] = fewest_ranks(graph, task, allocation[id], deadline - before - after);
    seconds[id] = graph.seconds(task, allocation[id]);
  }
  return allocation;
}

Allocation divided_by_levels(const TaskGraph& graph, int ranks) {
  std::vector<std::vector<int>> levels;
  for (int task = 0; task < graph.size(); ++task) {
    const auto level = static_cast<std::size_t>(graph.levels()[static_cast<std::size_t>(task)]);
    levels.resize(std::max(levels.size(), level + 1));
    levels[level].push_back(task);
  }
  Allocation allocation(graph.tasks().size(), 1);
  for (const std::vector<int>& level : levels) {
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
  for (int task = 0; task < graph.size(); ++task) allocation.push_back(graph.most_ranks(task, ranks_of_task));
  return allocation;
}

}  // namespace tessera::group::detail
