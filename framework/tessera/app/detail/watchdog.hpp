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

/// Notices a run that stands still: calls `bite(node)` once, from a thread of its own, when no step has ended
/// for `seconds` seconds. `node` is the id of the step in which this rank is, or -1 before the first one.
/// With 0 seconds it never calls it.
class Watchdog {
 public:
  /// Starts the thread that watches, unless `seconds` is 0. The destructor ends it.
  Watchdog(double seconds, std::function<void(int node)> bite);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// Notes that a step begins and that the one before it has ended.
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

/// Prints on standard error that no step of this rank has ended for `seconds` seconds, and in which step it
/// is.
void print_standstill(const std::string& program, int rank, double seconds, const Algorithm& pipeline,
                      const Plan& plan, int node);

}  // namespace tessera::app
