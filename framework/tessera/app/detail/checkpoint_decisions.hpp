// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstdint>

#include "tessera/app/detail/checkpoint_settings.hpp"
#include "tessera/app/detail/stop_signals.hpp"

namespace tessera::app {

/// Decides when the ranks of a run write a checkpoint, and whether the run ends with this checkpoint. The
/// ranks check for signals and for the time that has passed on rank 0, and agree on the result, after every
/// few turns. The number of turns between these checks depends on the time that a turn takes: the ranks check
/// a few times a second, or after every turn if a turn takes longer.
class CheckpointDecisions {
 public:
  using Clock = std::chrono::steady_clock;

  struct Decision {
    bool writes = false;
    /// The signal that ends the run, or 0 if no signal does.
    int signal = 0;
    /// Whether the run must end now because it would exceed its wall limit otherwise.
    bool is_out_of_time = false;

    bool ends() const { return signal != 0 || is_out_of_time; }
  };

  /// Prepares the decisions of a run. `began` is the time at which the run began, and `write_seconds` is the
  /// time that writing the first checkpoint is expected to take.
  CheckpointDecisions(MPI_Comm communicator, const CheckpointSettings& settings, Clock::time_point began,
                      double write_seconds);

  /// Begins the decisions of a loop. Must be called before its first turn. `turns` is the number of turns of
  /// the loop that an earlier run has computed.
  void begin(std::int64_t turns);
  /// Returns the decision after `turns` turns of the loop. All ranks get the same decision. Collective.
  Decision decide(std::int64_t turns);
  /// Notes that a checkpoint was written, or that the attempt to write it failed, and that this took
  /// `seconds`. The interval to the next checkpoint begins now.
  void wrote(double seconds);

 private:
  bool is_due_by_turns(std::int64_t turns) const;
  /// Returns whether the interval since the last checkpoint is over. Only the result on rank 0 is used.
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
  // The time of the last agreement of the ranks, the number of turns at that time, and the number of turns
  // from there to the next agreement.
  Clock::time_point last_check_;
  std::int64_t checked_turns_ = 0;
  std::int64_t period_ = 1;
};

}  // namespace tessera::app
