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

/// Detects that a run stands still. If no step begins for `seconds` seconds, a Watchdog calls
/// `bite(node, limit)` once, from a separate thread. `node` is the id of the step that this rank executes, or
/// -1 before the first step, and `limit` is the number of seconds that have passed. If `seconds` is 0, `bite`
/// is never called.
class Watchdog {
 public:
  /// Starts the thread of the watchdog, unless `seconds` is 0. The destructor ends this thread.
  Watchdog(double seconds, std::function<void(int node, double limit)> bite);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// Records that the step with the id `node` begins, and that the previous step has therefore ended. The
  /// step may take as long as `steps` steps.
  void begin(int node, int steps = 1) {
    node_.store(node, std::memory_order_relaxed);
    steps_.store(steps, std::memory_order_relaxed);
    begun_.fetch_add(1, std::memory_order_relaxed);
  }

 private:
  void watch();

  const double seconds_;
  const std::function<void(int node, double limit)> bite_;
  std::atomic<int> node_{-1};
  std::atomic<int> steps_{1};
  std::atomic<std::int64_t> begun_{0};
  std::mutex mutex_;
  std::condition_variable wakes_;
  bool ends_ = false;
  std::thread thread_;
};

/// Ends a run in which no step of this rank has ended for `seconds` seconds. Prints so on standard error,
/// with the name of the step that the rank executes, which is empty before the first step. Then waits before
/// it aborts the job, because other ranks reach the time limit a little later and should print their steps,
/// too.
void end_standstill(const Session& session, const std::string& program, double seconds,
                    const std::string& step);

}  // namespace tessera::app
