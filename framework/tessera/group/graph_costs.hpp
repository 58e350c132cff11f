// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tessera/cost/machine_description.hpp"
#include "tessera/group/task_graph.hpp"

namespace tessera::group {

/// The messages that move an array from the ranks of one task to those of another one.
struct Redistribution {
  /// The most messages that one rank sends.
  std::int64_t messages_of_sender = 0;
  /// The most messages that one rank receives.
  std::int64_t messages_of_receiver = 0;
  /// The bytes that a rank sends.
  double bytes_of_sender = 0;
  /// The bytes that a rank receives.
  double bytes_of_receiver = 0;
};

/// A way in which arrays travel between two groups.
enum class Travel {
  /// Each rank sends what it has directly to the ranks that need it.
  between_ranks,
  /// The first rank of one group sends the whole array to the first rank of the other one, which are the
  /// hosts that collect and distribute it inside of their groups.
  between_hosts,
};

/// The cost of edges: the network, and the way that arrays travel.
struct Communication {
  /// The cost of a message.
  cost::NetworkCost network;
  /// The way in which arrays travel.
  Travel travel = Travel::between_ranks;
};

/// Returns the messages that move an array that is cut into equal blocks, one for each of `from` ranks, into
/// such blocks for each of `to` other ranks. The blocks of both are intervals of the same array.
Redistribution redistribution_of_blocks(std::int64_t bytes, int from, int to);

/// Returns the seconds that an array takes from a group to a group with other ranks. All messages are sent
/// and received at the same time: the cost is that of the rank with the most to send or to receive. An array
/// without bytes takes no time.
double seconds_between_groups(const Communication& communication, std::int64_t bytes, int from, int to);

/// Returns true if an array does not travel at all from the ranks of one task to those of another one: if
/// both lists are equal, or if arrays travel between hosts and both lists begin with the same rank.
bool stays_in_place(const Communication& communication, std::span<const int> from, std::span<const int> to);

/// Returns the critical path of an allocation where each array travels to other ranks.
double critical_path(const TaskGraph& graph, std::span<const int> ranks_of_tasks,
                     const Communication& communication);

/// Returns for each task the greatest sum of the seconds of tasks and edges on a path from the beginning of
/// this task to the end of the program, where each array travels to other ranks.
std::vector<double> bottom_levels(const TaskGraph& graph, std::span<const int> ranks_of_tasks,
                                  const Communication& communication);

/// Returns the seconds of an edge between the ranks of its tasks, if these lists of ranks differ.
double edge_seconds(const Edge& edge, std::span<const int> ranks_of_tasks,
                    const Communication& communication);

}  // namespace tessera::group
