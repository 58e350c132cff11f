// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace tessera::graph {

/// What one task has done in a run. Times are in seconds, summed over all bodies. They are 0 unless the run
/// is timed.
struct TaskReport {
  /// The name of the task.
  std::string name = {};
  /// The kind of the task, such as "keeper".
  std::string kind = {};
  /// The number of calls of bodies.
  std::int64_t calls = 0;
  /// The time that bodies ran.
  double busy = 0;
  /// The time that items waited for others of the same stamp.
  double wait_input = 0;
  /// The time that items waited for buffers of pools.
  double wait_pool = 0;
  /// The time that items waited for their turn in the order.
  double wait_order = 0;
  /// The time that items waited for a free body or thread.
  double wait_place = 0;
};

/// What one pool has done in a run.
struct PoolReport {
  /// The name of the pool.
  std::string name = {};
  /// The number of buffers.
  int count = 0;
  /// The most buffers that were in use at the same time.
  int high_water = 0;
};

/// An item that was dropped because a body has thrown an exception.
struct SkippedItem {
  /// The name of the task whose body has thrown.
  std::string task = {};
  /// The number of the item of the source.
  std::int64_t item = 0;
  /// The stamp of the item as text, such as "item 4, turn 2".
  std::string stamp = {};
  /// The text of the exception.
  std::string reason = {};
};

/// One call of a body. Times are in nanoseconds since the start of the run.
struct TracedCall {
  /// The task, as an index into Report::tasks.
  int task = 0;
  /// The number of the thread: 0 for the one that waits for the run, and others from 1 on.
  int thread = 0;
  /// The number of the item of the source.
  std::int64_t item = 0;
  /// The time at which the body was called.
  std::int64_t begin = 0;
  /// The time at which the body returned.
  std::int64_t end = 0;
};

/// What a run has done on one rank.
struct Report {
  /// The tasks that have bodies, in the order in which the graph was built. A loop is the task that tests its
  /// condition.
  std::vector<TaskReport> tasks = {};
  /// The pools, in the order in which the graph was built.
  std::vector<PoolReport> pools = {};
  /// The skipped items, in the order of their numbers.
  std::vector<SkippedItem> skipped = {};
  /// The calls of bodies, if the run is traced.
  std::vector<TracedCall> trace = {};
  /// The number of items of sources that have been finished, skipped ones included.
  std::int64_t items = 0;
  /// The most items of sources that were under way at the same time.
  std::int64_t most_items = 0;
  /// The number of worker threads.
  int workers = 0;
  /// The time from the start of the run to its end, or until now if it has not ended.
  double seconds = 0;
  /// Whether Run::stop ended the sources.
  bool is_stopped = false;
  /// The time at which the run started.
  std::chrono::steady_clock::time_point began = {};
};

/// Returns the report as a table for people. Times are in seconds.
std::string to_text(const Report& report);
/// Returns the report as one JSON object, whose members are called as those of Report.
std::string to_json(const Report& report);

}  // namespace tessera::graph
