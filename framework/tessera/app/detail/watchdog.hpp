// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "tessera/pipeline/plan/plan.hpp"

namespace tessera::app {

/// Detects that a run stands still. If no step begins for `seconds` seconds, a Watchdog calls
/// `bite(node)` once, from a separate thread. `node` is the id of the step that this rank executes, or -1
/// before the first step. If `seconds` is 0, `bite` is never called.
class Watchdog {
 public:
  /// Starts the thread of the watchdog, unless `seconds` is 0. The destructor ends this thread.
  Watchdog(double seconds, std::function<void(int node)> bite);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// Records that the step with the id `node` begins, and that the previous step has therefore ended.
  void begin(int node) {
    node_.store(node, std::memory_order_relaxed);
    begun_.fetch_add(1, std::memory_order_relaxed);
  }

 private:
  void watch();

  const double seconds_;
  const std::function<void(int node)> bite_;
  std::atomic<int> node_{-1};
  std::atomic<std::int64_t> begun_{0};
  std::mutex mutex_;
  std::condition_variable wakes_;
  bool ends_ = false;
  std::thread thread_;
};

/// Prints on standard error that no step of rank `rank` has ended for `seconds` seconds. `node` is the id of
/// the step that the rank executes, or -1 before the first step. The name of this step is printed, too.
void print_standstill(const std::string& program, int rank, double seconds, const Algorithm& pipeline,
                      const Plan& plan, int node);

}  // namespace tessera::app
