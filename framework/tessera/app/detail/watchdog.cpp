// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/watchdog.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <utility>

#include "tessera/pipeline/explain/explain.hpp"
#include "tessera/pipeline/plan/step_names.hpp"

namespace tessera::app {

Watchdog::Watchdog(double seconds, std::function<void(int node)> bite)
    : seconds_(seconds), bite_(std::move(bite)) {
  if (seconds_ > 0) thread_ = std::thread([this] { watch(); });
}

Watchdog::~Watchdog() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  wakes_.notify_one();
  thread_.join();
}

void Watchdog::watch() {
  using Clock = std::chrono::steady_clock;
  const std::chrono::duration<double> limit(seconds_);
  std::int64_t seen = -1;
  Clock::time_point since = Clock::now();
  std::unique_lock lock(mutex_);
  while (!wakes_.wait_for(lock, limit / 8, [this] { return ends_; })) {
    const std::int64_t begun = begun_.load(std::memory_order_relaxed);
    if (begun != seen) {
      seen = begun;
      since = Clock::now();
    } else if (Clock::now() - since >= limit) {
      return bite_(node_.load(std::memory_order_relaxed));
    }
  }
}

void print_standstill(const std::string& program, int rank, double seconds, const Algorithm& pipeline,
                      const Plan& plan, int node) {
  std::string step = "none of them";
  walk(plan.root, [&](const PlanNode& one) {
    if (one.id == node) step = fmt::format("'{}'", step_label(pipeline, one));
  });
  fmt::print(stderr, "{}: error: rank {}: no step has ended for {} s (watchdog), this one is in {}\n",
             program, rank, seconds, step);
  std::fflush(stderr);
}

}  // namespace tessera::app
