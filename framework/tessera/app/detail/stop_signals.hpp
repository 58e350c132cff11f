// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <csignal>
#include <stop_token>

namespace tessera::app {

/// Records the signals SIGTERM and SIGUSR1. While an object of this class exists, these signals do not end
/// the process at once. The process ends 30 seconds after a SIGTERM, unless accept() is called before. At
/// most one object of this class may exist at a time.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// Returns the number of the last signal that was received; 0 if there was none.
  int received() const;
  /// Cancels the end of the process after a SIGTERM. Call this function when all ranks know of the signal
  /// and act on it.
  void accept() const;
  /// Waits for a signal, which may have come before, and accepts it. Returns false if `ended` is requested
  /// first. This function is for a thread of its own, where those that work are busy for long.
  bool accept_next(const std::stop_token& ended) const;

 private:
  struct sigaction term_before_ = {};
  struct sigaction user_before_ = {};
};

}  // namespace tessera::app
