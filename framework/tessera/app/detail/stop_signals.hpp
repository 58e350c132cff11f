// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <csignal>

namespace tessera::app {

/// While one lives, SIGTERM and SIGUSR1 do not end the process, but are remembered; half a minute after a
/// SIGTERM that nobody accepted the process ends. One at a time.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// The last one that came; 0: none did.
  int received() const;
  /// All ranks know of it, and act.
  void accept() const;

 private:
  struct sigaction term_before_ = {};
  struct sigaction user_before_ = {};
};

}  // namespace tessera::app
