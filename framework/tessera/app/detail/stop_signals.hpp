// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <csignal>

namespace tessera::app {

/// While an object of this class lives, SIGTERM and SIGUSR1 do not end the process but are remembered. The
/// process ends 30 seconds after a SIGTERM unless accept() is called before. There may be one object at a
/// time.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// Returns the last signal that was received; 0: there was none.
  int received() const;
  /// Must be called when all ranks know of the signal and act on it: the process is not ended any more.
  void accept() const;

 private:
  struct sigaction term_before_ = {};
  struct sigaction user_before_ = {};
};

}  // namespace tessera::app
