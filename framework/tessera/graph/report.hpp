// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::graph {

/// What one task has done in a run. Times are in seconds, summed over all bodies, and 0 unless the run is
/// timed.
struct TaskReport {
  std::string name = {};
  /// The kind of the task, such as "keeper".
  std::string kind = {};
  std::int64_t calls = 0;
  /// The time that bodies ran.
  double busy = 0;
  /// The time that items waited for others of the same stamp, for buffers of pools, for their turn in the
  /// order, and for a free body or thread.
  double wait_input = 0;
  double wait_pool = 0;
  double wait_order = 0;
  double wait_place = 0;
};

/// What one pool has done in a run.
struct PoolReport {
  std::string name = {};
  int count = 0;
  /// The most buffers that were in use at the same time.
  int high_water = 0;
};

/// An item that was dropped because a body has thrown an exception.
struct SkippedItem {
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
  /// The number of the thread among those of the place where the task runs, from 0.
  int thread = 0;
  /// The number of the item of the source.
  std::int64_t item = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// What a run has done on one rank.
struct Report {
  std::vector<TaskReport> tasks = {};
  std::vector<PoolReport> pools = {};
  /// The skipped items, by their number.
  std::vector<SkippedItem> skipped = {};
  /// The calls of bodies, if the run is traced.
  std::vector<TracedCall> trace = {};
  /// The number of items of sources that have been finished, skipped ones included.
  std::int64_t items = 0;
  /// The most items that were under way at the same time.
  std::int64_t most_items = 0;
  int workers = 0;
  double seconds = 0;
  /// Whether Run::stop ended the sources.
  bool is_stopped = false;
};

/// The report as a table for people.
std::string to_text(const Report& report);
/// The report as one JSON object.
std::string to_json(const Report& report);

}  // namespace tessera::graph
