// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "tessera/app/session.hpp"

namespace tessera::app {

/// Says how long a rank may wait for steps of other ranks.
struct WaitLimit {
  /// The seconds that a rank may wait while others begin no step.
  double seconds = 0;
  /// Returns the number of steps that others have begun, as far as this rank can see. It may be empty, and is
  /// called from the thread of the watchdog.
  std::function<std::int64_t()> steps_of_others = {};
};

/// Detects that a run stands still. If no step begins for `seconds` seconds, a Watchdog calls
/// `bite(node, limit)` once, from a separate thread. `node` is the id of the step that this rank executes, or
/// -1 before the first step, and `limit` is the number of seconds that have passed. If `seconds` is 0, `bite`
/// is never called. A rank that waits for others has a limit of its own.
class Watchdog {
 public:
  /// Starts the thread of the watchdog, unless `seconds` is 0. The destructor ends this thread.
  Watchdog(double seconds, std::function<void(int node, double limit)> bite, WaitLimit wait = {});
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// Records that the step with the id `node` begins, and that the previous step has therefore ended.
  void begin(int node) { store(node, false); }
  /// Records that this rank begins to wait for steps of other ranks, which has the id `node`.
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

/// Ends a run in which no step of this rank has ended for `limit` seconds. Prints so on standard error, with
/// the name of the step that the rank executes, which is empty before the first step, and with the `seconds`
/// of the deck if these are others. Then waits before it aborts the job, because other ranks reach the time
/// limit a little later and should print their steps, too.
void end_standstill(const Session& session, const std::string& program, double seconds, double limit,
                    const std::string& step);

}  // namespace tessera::app
