// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/watchdog.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

namespace tessera::app {

Watchdog::Watchdog(double seconds, std::function<void(int node, double limit)> bite)
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
  std::int64_t seen = -1;
  Clock::time_point since = Clock::now();
  std::unique_lock lock(mutex_);
  while (!wakes_.wait_for(lock, std::chrono::duration<double>(seconds_ / 8), [this] { return ends_; })) {
    const std::int64_t begun = begun_.load(std::memory_order_relaxed);
    if (begun != seen) {
      seen = begun;
      since = Clock::now();
      continue;
    }
    const double limit = seconds_ * steps_.load(std::memory_order_relaxed);
    if (Clock::now() - since >= std::chrono::duration<double>(limit))
      return bite_(node_.load(std::memory_order_relaxed), limit);
  }
}

void end_standstill(const Session& session, const std::string& program, double seconds,
                    const std::string& step) {
  fmt::print(stderr, "{}: error: rank {}: no step has ended for {} s (watchdog), this one is in {}\n",
             program, session.rank(), seconds, step.empty() ? "none of them" : fmt::format("'{}'", step));
  std::fflush(stderr);
  std::this_thread::sleep_for(std::chrono::duration<double>(std::min(seconds / 2, 5.0)));
  session.abort(ExitStatus::watchdog);
}

}  // namespace tessera::app
