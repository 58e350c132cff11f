// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/graph_costs.hpp"

#include <algorithm>
#include <numeric>

namespace tessera::group {

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
    for (const Edge& edge : graph.edges_from(task))
      after = std::max(after, edge_seconds(edge, ranks_of_tasks, communication) +
                                  levels[static_cast<std::size_t>(edge.to)]);
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

namespace {

/// Returns the most of n equal intervals that one of m equal intervals of the same length in sum overlaps,
/// where m and n have no common divisor. In units of 1/m of one of the n intervals, one of the m has the
/// length n and begins at a multiple of n, of which the remainders by m take all values from 0 to m - 1. So
/// the worst one begins m - 1 behind the beginning of an interval.
std::int64_t most_overlaps(std::int64_t m, std::int64_t n) { return (m - 1 + n + m - 1) / m; }

}  // namespace

Redistribution redistribution_of_blocks(std::int64_t bytes, int from, int to) {
  const auto size = static_cast<double>(bytes);
  const std::int64_t divisor = std::gcd(from, to), m = from / divisor, n = to / divisor;
  return {most_overlaps(m, n), most_overlaps(n, m), size / from, size / to};
}

double seconds_between_groups(const Communication& communication, std::int64_t bytes, int from, int to) {
  if (bytes == 0) return 0;
  const cost::NetworkCost& network = communication.network;
  if (communication.travel == Travel::between_hosts) return network.seconds(bytes);
  const Redistribution moved = redistribution_of_blocks(bytes, from, to);
  const auto seconds = [&network](std::int64_t messages, double size) {
    return static_cast<double>(messages) * network.latency_seconds + size * network.seconds_per_byte;
  };
  return std::max(seconds(moved.messages_of_sender, moved.bytes_of_sender),
                  seconds(moved.messages_of_receiver, moved.bytes_of_receiver));
}

bool stays_in_place(const Communication& communication, std::span<const int> from, std::span<const int> to) {
  if (communication.travel == Travel::between_hosts && !from.empty() && !to.empty() && from[0] == to[0])
    return true;
  return std::ranges::equal(from, to);
}

}  // namespace tessera::group
