// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tessera::cost {

/// The cost of a message: a time for each message, and a time for each of its bytes.
struct NetworkCost {
  /// The seconds that a message takes, however short it is (ts).
  double latency_seconds = 0;
  /// The seconds that each byte of a message takes (tb).
  double seconds_per_byte = 0;

  /// Returns the seconds that a message of `bytes` bytes takes.
  constexpr double seconds(double bytes) const { return latency_seconds + bytes * seconds_per_byte; }
  /// Returns true when both costs have the same numbers.
  friend bool operator==(const NetworkCost&, const NetworkCost&) = default;
};

/// A speed of a machine node, in bytes or operations per second.
struct Speed {
  /// The speed of one thread, while no other thread runs.
  double thread = 0;
  /// The speed of all threads of a machine node together (see MachineDescription::threads).
  double all = 0;
};

/// The properties of a machine that estimates of plans need. All machine nodes are alike. Speeds of copies
/// count the bytes that are read and the bytes that are written.
struct MachineDescription {
  /// A name for people.
  std::string name = {};
  /// The model of the processors.
  std::string processor = {};
  /// The number of machine nodes.
  std::int64_t nodes = 1;
  /// The number of sockets of a node.
  std::int64_t sockets = 1;
  /// The number of cores of a socket.
  std::int64_t cores = 1;
  /// The number of threads of a node that ran when the speeds of all threads together were measured.
  std::int64_t threads = 1;
  /// The speed of copies in memory.
  Speed memory = {};
  /// The bytes of the last-level caches of a node that its threads may use.
  std::int64_t last_cache_bytes = 0;
  /// The speed of copies in the last-level cache.
  Speed last_cache = {};
  /// The speed of one thread that reads and writes in its nearest cache while it adds three neighbours each.
  double near_cache_thread = 0;
  /// The speed of arithmetic with numbers of float, in operations per second.
  Speed arithmetic = {};
  /// The seconds that it takes one thread to start and end a kernel.
  double launch_thread_seconds = 0;
  /// The seconds that it takes to start and end a kernel with all threads of a node.
  double launch_all_seconds = 0;
  /// The cost of a message within a node.
  NetworkCost within_node = {};
  /// The cost of a message between nodes. If it has no value, such messages cost as much as those within.
  std::optional<NetworkCost> between_nodes = std::nullopt;
  /// The speed of all ranks together when they read files, in bytes per second. 0 means that it is not known.
  double file_read = 0;
  /// The speed of all ranks together when they write files, in bytes per second. 0 means that it is not
  /// known.
  double file_write = 0;

  /// Returns the number of cores of a node.
  std::int64_t node_cores() const { return sockets * cores; }
};

/// The part of a machine node that a rank has, if `ranks` ranks of `threads` threads each run on the node.
class NodeShare {
 public:
  /// All arguments are at least 1. `machine` must outlive this object.
  NodeShare(const MachineDescription& machine, std::int64_t ranks, int threads);

  /// Returns the number of threads of the rank that compute at the same time, as far as the node can run
  /// them.
  double threads() const { return threads_; }
  /// Returns the part of a speed that the rank has while all ranks of the node compute. No part is more than
  /// what the threads of the rank could do alone.
  double of(const Speed& speed) const;
  /// Returns the seconds to start and end a kernel, which grow with the logarithm of the number of threads.
  double launch_seconds() const;

 private:
  const MachineDescription& machine_;
  double ranks_;
  double threads_;
};

/// Returns the number of ranks of `threads` threads each that have cores on one node, which is at least 1.
std::int64_t ranks_per_node(const MachineDescription& machine, int threads);

/// Returns the machine that estimates of plans assume if none is described: some laptop, in round numbers.
MachineDescription generic_machine();

/// Returns the model of the processor of this process, or an empty text if it is not known.
std::string own_processor();

/// Returns the number of cores of the machine node of this process, as the system counts them.
std::int64_t own_cores();

/// Returns a line if the processors and cores of the machine are not those of this process, and an empty text
/// otherwise.
std::string difference_from_own(const MachineDescription& machine);

}  // namespace tessera::cost
