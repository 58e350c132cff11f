// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstdint>

#include "tessera/app/detail/checkpoint_settings.hpp"
#include "tessera/app/detail/stop_signals.hpp"

namespace tessera::app {

/// When the ranks of a run write a checkpoint, and whether they end with it. Rank 0 looks at its clock, and
/// all ranks at their signals, every so many turns: some times a second, however long turns are.
class CheckpointDecisions {
 public:
  using Clock = std::chrono::steady_clock;

  struct Decision {
    bool writes = false;
    /// The signal that ends the run; 0: none does.
    int signal = 0;
    /// The run ends before its time is over.
    bool is_out_of_time = false;

    bool ends() const { return signal != 0 || is_out_of_time; }
  };

  /// `began`: when the run did. `write_seconds`: what the first checkpoint may take.
  CheckpointDecisions(MPI_Comm communicator, const CheckpointSettings& settings, Clock::time_point began,
                      double write_seconds);

  /// A loop begins, after so many turns of an earlier run.
  void begin(std::int64_t turns);
  /// So many turns have ended; the same on every rank. Collective.
  Decision decide(std::int64_t turns);
  /// A checkpoint was written, or could not be: the next one is due an interval from now.
  void wrote(double seconds);

 private:
  bool is_due_by_turns(std::int64_t turns) const;
  /// Of rank 0.
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
  // Of the last time that the ranks agreed.
  Clock::time_point last_check_;
  std::int64_t checked_turns_ = 0;
  std::int64_t period_ = 1;
};

}  // namespace tessera::app
