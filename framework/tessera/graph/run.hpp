// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tessera/graph/item.hpp"
#include "tessera/graph/task.hpp"

namespace tessera::graph {

/// The calls of one task in a run. Times are in seconds, summed over all bodies. They are 0 unless the run is
/// timed.
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

/// The use of one pool in a run.
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

/// The report of a run on one rank.
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
  /// True if Run::stop ended the sources.
  bool is_stopped = false;
  /// The time at which the run started.
  std::chrono::steady_clock::time_point began = {};
};

/// Returns the report as a table for people. Times are in seconds.
std::string to_text(const Report& report);
/// Returns the report as one JSON object, whose members are called as those of Report.
std::string to_json(const Report& report);

namespace detail {
class Execution;
}

/// Learns of the calls of bodies while they are made. Several threads may call it at the same time.
class CallObserver {
 public:
  virtual ~CallObserver() = default;
  /// Is called before a body is called. `task` is the number of its task in Graph::task_names.
  virtual void begins(int task) = 0;
  /// Is called after the body has returned.
  virtual void ends(int task) = 0;
};

/// The options of a run.
struct RunOptions {
  /// The number of worker threads. 0 means the number of processors that the process may use.
  int workers = 0;
  /// The communicator of the ranks that run the graph together. All of them must build the same graph.
  /// Without a communicator the calling process runs the graph alone.
  MPI_Comm communicator = MPI_COMM_NULL;
  /// True if the report has times. It always has numbers of calls.
  bool timed = false;
  /// True if the report has a trace of all calls. It then has times, too.
  bool traced = false;
  /// The bytes that the buffers of all pools together may have. 0 means any number.
  std::int64_t memory = 0;
  /// Learns of all calls. It may be null, and must outlive the run.
  CallObserver* observer = nullptr;
};

/// A run of a graph, which Graph::run has started. The destructor stops a run that was not waited for.
class Run {
 public:
  /// Makes a run of a started execution. Only graphs call this.
  explicit Run(std::unique_ptr<detail::Execution> execution);
  ~Run();
  /// Takes over a run.
  Run(Run&&) noexcept;

  /// Puts an item into the graph at `input`, which Graph::input has returned. The call waits while as many
  /// items of this input are under way as the window allows. It returns false if the run has been stopped or
  /// has failed. Any thread may call this function, but only one at a time for each input. This function is
  /// experimental, and so are `close` and `pop`.
  template <class T>
  bool push(const Flow<T>& input, T value) {
    return push_item(input.number(), detail::ItemHold(new detail::ItemOf<T>(std::move(value))));
  }
  /// Says that no more items are pushed at `input`. A run with inputs ends only after this call.
  template <class T>
  void close(const Flow<T>& input) {
    close_input(input.number());
  }
  /// Waits for the next item of `flow`, which a task must read that Graph::output has added. Returns the
  /// item, or nothing after the last one.
  template <class T>
  std::optional<T> pop(const Flow<T>& flow) {
    detail::Item* item = pop_item(flow.number());
    if (item == nullptr) return std::nullopt;
    T value = item->is_sole() ? std::move(detail::value_of<T>(*item)) : detail::value_of<T>(*item);
    drop_popped(item);
    return value;
  }

  /// Ends the sources early. Items that are under way are finished. Any thread may call this function.
  void stop();
  /// Waits for the end of the run. Bodies at Place::kernels() run on the thread that calls this function,
  /// which must be the one that has initialized Kokkos. Throws the first exception of a body, and InputError
  /// if a pool is too small. Collective if the run has several ranks.
  void wait();
  /// Returns what the run has done so far on this rank. The report is complete after `wait`.
  Report report() const;

 private:
  bool push_item(int flow, detail::ItemHold item);
  void close_input(int flow);
  detail::Item* pop_item(int flow);
  void drop_popped(detail::Item* item);

  std::unique_ptr<detail::Execution> execution_;
};

}  // namespace tessera::graph
