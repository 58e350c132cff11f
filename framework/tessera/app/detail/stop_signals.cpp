// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/stop_signals.hpp"

#include <unistd.h>

namespace tessera::app {
namespace {

// A handler reaches nothing else.
volatile std::sig_atomic_t last_signal = 0;

/// Batch systems kill a process so long after they asked it to end. One whose partner has died would else
/// wait for it for ever.
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

int StopSignals::received() const { return last_signal; }

}  // namespace tessera::app
