// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <chrono>
#include <map>
#include <string>

namespace tessera::app {

/// Adds up the time of the steps of a run by their kind.
class StepTimes {
 public:
  /// A step of this kind begins, and the one before it ends.
  void begin(const std::string& kind);

  /// The last step ends. "read 0.012 s, compute 0.003 s, ...": of each kind the time of the slowest rank.
  /// Collective; every rank must have seen the same kinds.
  std::string text(MPI_Comm communicator);

 private:
  using Clock = std::chrono::steady_clock;

  std::map<std::string, double> seconds_;
  std::string current_;
  Clock::time_point started_;
};

}  // namespace tessera::app
