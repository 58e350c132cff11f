// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "tessera/app/session.hpp"
#include "tessera/deck/deck.hpp"
#include "tessera/graph/run.hpp"
#include "tessera/view/mpi_objects.hpp"

namespace tessera::app {

/// Records the signals SIGTERM and SIGUSR1, which do not end the process while there is such an object. There
/// may be only one. The process ends 30 seconds after a SIGTERM, unless accept() is called
/// before.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// Returns the number of the last signal that was received; 0 if there was none.
  int received() const;
  /// Cancels the end of the process after a SIGTERM, when all ranks know of the signal and act on it.
  void accept() const;
  /// Waits for a signal, which may have come before, and accepts it. Returns false if `ended` is requested
  /// first. This function is for a thread of its own, if the threads that work are busy for long.
  bool accept_next(const std::stop_token& ended) const;

 private:
  struct sigaction term_before_ = {};
  struct sigaction user_before_ = {};
};

/// A count of each rank, which the other ranks of its machine node see at once, without a message.
class NodeCounts {
 public:
  /// Begins with counts of 0. Collective, as is the destructor. Throws InputError on all ranks if the ranks
  /// of a machine node cannot share memory.
  explicit NodeCounts(MPI_Comm communicator);

  /// Adds 1 to the count of this rank.
  void add() { counts_.front()->fetch_add(1, std::memory_order_relaxed); }
  /// Returns the sum of the counts of this rank's machine node. Any thread may call it.
  std::int64_t sum() const;
  /// Whether all ranks of the communicator run on one machine node.
  bool has_all() const { return has_all_; }

 private:
  /// A count that ranks share must not need a lock of its own.
  using Count = std::atomic<std::int64_t>;
  static_assert(Count::is_always_lock_free);

  NodeMemory memory_;
  /// The count of this rank, and those of the other ranks of its machine node.
  std::vector<Count*> counts_;
  bool has_all_ = true;
};

/// Says how long a rank may wait for steps of other ranks.
struct WaitLimit {
  /// The seconds that a rank may wait while others begin no step.
  double seconds = 0;
  /// Returns the number of steps that other ranks have begun, as far as this rank can see. May be empty. The
  /// thread of the watchdog calls it.
  std::function<std::int64_t()> steps_of_others = {};
};

/// Detects that a run stands still. If no step begins for `seconds` seconds, which may be 0 for never, a
/// thread calls `bite(node, limit)` once: `node` is the id of the step that this rank executes, or -1 before
/// the first one, and `limit` is the seconds that have passed. A rank that waits has a limit of its own.
class Watchdog {
 public:
  /// Starts the thread of the watchdog, unless `seconds` is 0. The destructor ends this thread.
  Watchdog(double seconds, std::function<void(int node, double limit)> bite, WaitLimit wait = {});
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// Records that the step with the id `node` begins, and that the previous step has therefore ended.
  void begin(int node) { store(node, false); }
  /// Records that the step with the id `node` begins, in which this rank waits for steps of other ranks.
  void begin_to_wait(int node) { store(node, true); }

 private:
  void watch();
  /// One word has the number of steps, whether the last one is to wait, and its id, so that the thread of the
  /// watchdog never sees parts of two steps.
  void store(int node, bool waits) {
    ++begun_;
    state_.store(begun_ << 33U | std::uint64_t{waits} << 32U | static_cast<std::uint32_t>(node),
                 std::memory_order_relaxed);
  }

  const double seconds_;
  const std::function<void(int node, double limit)> bite_;
  const WaitLimit wait_;
  std::uint64_t begun_ = 0;
  std::atomic<std::uint64_t> state_{static_cast<std::uint32_t>(-1)};
  std::mutex mutex_;
  std::condition_variable wakes_;
  bool ends_ = false;
  std::thread thread_;
};

/// Returns the function that a Watchdog calls to end a run. It prints that no step of this rank has ended for
/// `limit` seconds, the name of the step that the rank executes, and the `seconds` of the deck if they are
/// not `limit`. Then it waits before it aborts the job, because other ranks should print their steps, too.
/// `name_of` returns the name of a step, or an empty text if the rank executes none. `session` must outlive
/// the result.
std::function<void(int, double)> end_standstill(const Session& session, const std::string& program,
                                                double seconds, std::function<std::string(int)> name_of);

/// Returns the seconds that a deck gives for the key `watchdog`, or 0.
double watchdog_seconds(const deck::Deck& deck);

/// Ends a run of a graph if no task begins or ends a call within a time limit, on this rank and on the other
/// ranks of its machine node. A rank that calls no task waits for other machine nodes without a limit,
/// because it does not see their calls.
class CallsWatchdog final : public graph::CallObserver {
 public:
  /// Starts to watch the tasks with these names for `seconds`, which is not 0. `session` must outlive this
  /// object. Collective, as is the destructor. Throws InputError as NodeCounts does.
  CallsWatchdog(const Session& session, const std::string& program, double seconds,
                std::vector<std::string> tasks);
  void begins(int task) override { note(task, 1); }
  void ends(int task) override { note(task, -1); }

 private:
  void note(int task, int change) {
    running_[static_cast<std::size_t>(task)].fetch_add(change, std::memory_order_relaxed);
    counts_.add();
  }
  /// Returns the names of the tasks that this rank is calling.
  std::vector<std::string> running() const;
  /// Returns a number that changes while there is something to wait for.
  std::int64_t look();

  std::vector<std::string> tasks_;
  /// For each task, the number of its calls that are under way.
  std::vector<std::atomic<int>> running_;
  NodeCounts counts_;
  std::int64_t idle_looks_ = 0;
  Watchdog watchdog_;
};

}  // namespace tessera::app
