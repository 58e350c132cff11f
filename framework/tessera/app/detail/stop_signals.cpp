// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/stop_signals.hpp"

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace tessera::app {
namespace {

/// The last signal that was received; 0 if there was none. It is global, because a signal handler cannot
/// access an object of StopSignals.
volatile std::sig_atomic_t last_signal = 0;

/// The seconds after a SIGTERM at which the process ends if accept() was not called. Batch systems usually
/// kill a process after a similar time. Without this limit, a rank could wait forever for a rank that has
/// ended.
constexpr unsigned seconds_to_act = 30;

void remember(int signal) {
  last_signal = signal;
  if (signal == SIGTERM) alarm(seconds_to_act);
}

}  // namespace

StopSignals::StopSignals() {
  last_signal = 0;
  struct sigaction action = {};
  action.sa_handler = remember;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGTERM, &action, &term_before_);
  sigaction(SIGUSR1, &action, &user_before_);
}

StopSignals::~StopSignals() {
  accept();
  sigaction(SIGTERM, &term_before_, nullptr);
  sigaction(SIGUSR1, &user_before_, nullptr);
}

void StopSignals::accept() const { alarm(0); }

bool StopSignals::accept_next(const std::stop_token& ended) const {
  constexpr std::chrono::milliseconds between_looks(50);
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  while (!ended.stop_requested()) {
    wake.wait_for(lock, ended, between_looks, [] { return false; });
    if (received() == 0) continue;
    accept();
    return true;
  }
  return false;
}

int StopSignals::received() const { return last_signal; }

}  // namespace tessera::app
