// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tessera/app/detail/interruptions.hpp"
#include "tessera/deck/deck.hpp"
#include "tessera/deck/schema.hpp"

namespace tessera::app {

/// The keys of a deck about the checkpoints that a run writes, and about the one that it restarts from. A
/// number that is 0, or an empty text, asks for nothing.
struct CheckpointSettings {
  /// The directory for the checkpoints that the run writes.
  std::string directory;
  /// The number of turns, and the seconds, from one checkpoint to the next.
  std::int64_t every = 0;
  double interval = 0;
  /// The seconds before whose end the run writes a checkpoint and ends.
  double wall_limit = 0;
  /// The path of the checkpoint from which the run goes on, or of a directory of checkpoints.
  std::string restart;
};

/// Declares the keys about checkpoints. Only programs with loops have these keys.
void declare_checkpoint_keys(deck::Schema& schema);

/// Returns the settings in a deck, or default settings if the program does not have the keys. Throws
/// InputError if a key is given that needs `checkpoint.directory`, and `checkpoint.directory` is not given.
CheckpointSettings checkpoint_settings(const deck::Deck& deck);

/// Returns a text that identifies the problem that a run computes: a line "key: value" for each key whose
/// name `is_part` accepts. For a key in `turn_limits`, which only limits the number of turns, the line says
/// whether it is given, in place of its value.
std::string problem_text(const deck::Deck& deck, const std::function<bool(const std::string&)>& is_part,
                         const std::vector<std::string>& turn_limits);

/// Decides when the ranks of a run write a checkpoint, and whether the run ends with it. The ranks agree on
/// signals and on the time that has passed on rank 0 a few times a second, or after every turn if a turn
/// takes longer.
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

  /// `began` is the time at which the run began. The first checkpoint is expected to take `write_seconds`.
  CheckpointDecisions(MPI_Comm communicator, const CheckpointSettings& settings, Clock::time_point began,
                      double write_seconds);

  /// Begins a loop after `turns` turns that an earlier run has computed.
  void begin(std::int64_t turns);
  /// Returns the decision after `turns` turns of the loop. All ranks get the same decision. Collective.
  Decision decide(std::int64_t turns);
  /// Notes that it took `seconds` to write a checkpoint, or to fail to. The next interval begins now.
  void wrote(double seconds);

 private:
  MPI_Comm communicator_;
  int rank_ = 0;
  CheckpointSettings settings_;
  Clock::time_point began_;
  double write_seconds_;
  StopSignals signals_;
  Clock::time_point last_write_;
  std::int64_t last_turns_ = 0;
  // The time and turns of the last agreement of the ranks, and the number of turns to the next one.
  Clock::time_point last_check_;
  std::int64_t checked_turns_ = 0;
  std::int64_t period_ = 1;
};

}  // namespace tessera::app
