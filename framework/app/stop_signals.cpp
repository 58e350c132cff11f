// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/stop_signals.hpp"

namespace tessera::app {
namespace {

// A handler reaches nothing else.
volatile std::sig_atomic_t last_signal = 0;

void remember(int signal) { last_signal = signal; }

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
  sigaction(SIGTERM, &term_before_, nullptr);
  sigaction(SIGUSR1, &user_before_, nullptr);
}

int StopSignals::received() const { return last_signal; }

}  // namespace tessera::app
