// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstdint>

#include "tessera/app/detail/checkpoint_settings.hpp"
#include "tessera/app/detail/stop_signals.hpp"

namespace tessera::app {

/// Decides when the ranks of a run write a checkpoint, and whether the run ends with it. Rank 0 looks at its
/// clock and all ranks look at their signals after a number of turns that is adapted to their length, so that
/// the ranks agree a few times a second, or after every turn if turns are longer.
class CheckpointDecisions {
 public:
  using Clock = std::chrono::steady_clock;

  struct Decision {
    bool writes = false;
    /// The signal that ends the run; 0: none does.
    int signal = 0;
    /// Whether the run ends now, so that it stays within its wall limit.
    bool is_out_of_time = false;

    bool ends() const { return signal != 0 || is_out_of_time; }
  };

  /// `began` is the time at which the run began, and `write_seconds` the time that the first checkpoint is
  /// expected to take.
  CheckpointDecisions(MPI_Comm communicator, const CheckpointSettings& settings, Clock::time_point began,
                      double write_seconds);

  /// Must be called when a loop begins. `turns` is the number of its turns that an earlier run has computed.
  void begin(std::int64_t turns);
  /// Returns the decision after `turns` turns of the loop, which is the same on all ranks. Collective.
  Decision decide(std::int64_t turns);
  /// Must be called when a checkpoint was written or could not be written, which took `seconds`. The next one
  /// is due an interval from now.
  void wrote(double seconds);

 private:
  bool is_due_by_turns(std::int64_t turns) const;
  /// Whether the interval since the last checkpoint is over; only rank 0's answer counts.
  bool is_due_by_time(Clock::time_point now) const;
  bool is_out_of_time(Clock::time_point now, double seconds_to_next) const;

  MPI_Comm communicator_;
  int rank_ = 0;
  CheckpointSettings settings_;
  Clock::time_point began_;
  double write_seconds_;
  StopSignals signals_;
  Clock::time_point last_write_;
  std::int64_t last_turns_ = 0;
  // The time and the turn at which the ranks agreed last, and the number of turns until they do so again.
  Clock::time_point last_check_;
  std::int64_t checked_turns_ = 0;
  std::int64_t period_ = 1;
};

}  // namespace tessera::app
