// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tessera/app/detail/interruptions.hpp"
#include "tessera/app/pipeline_application.hpp"
#include "tessera/deck/deck.hpp"
#include "tessera/deck/schema.hpp"

namespace tessera::app {

/// The settings in a deck about the checkpoints that a run writes, and about the checkpoint from which the
/// run goes on.
struct CheckpointSettings {
  /// The directory for the checkpoints that the run writes. If it is empty, the run writes no checkpoints.
  std::string directory;
  /// The number of turns from one checkpoint to the next. If it is 0, checkpoints do not depend on the number
  /// of turns.
  std::int64_t every = 0;
  /// The seconds from one checkpoint to the next. If it is 0, checkpoints do not depend on the time.
  double interval = 0;
  /// The wall limit: the time in seconds that the run may take at most. The run writes a checkpoint and ends
  /// before this time is over. If it is 0, there is no limit.
  double wall_limit = 0;
  /// The path of the checkpoint from which the run goes on, or of a directory of checkpoints. If it is empty,
  /// the run does not go on from a checkpoint.
  std::string restart;
};

/// Declares the keys about checkpoints. Only programs with loops have these keys.
void declare_checkpoint_keys(deck::Schema& schema);

/// Returns the settings in a deck, or default settings if the program does not have the keys. Throws
/// InputError if a key is given that needs `checkpoint.directory`, and `checkpoint.directory` is not given.
CheckpointSettings checkpoint_settings(const deck::Deck& deck);

/// Returns a text that identifies the problem that a run computes. It has a line "key: value" for each key
/// that can change the values that the loops compute: the program's own keys and the keys of its inputs. For
/// a key that only limits the number of turns, the line says whether the key is given, in place of its value.
std::string problem_text(const PipelineApplication& application, const deck::Deck& deck);
/// Returns such a text with a line for each key of which `is_part` says so. `turn_limits` are the names of
/// those keys that only limit the number of turns.
std::string problem_text(const deck::Deck& deck, const std::function<bool(const std::string&)>& is_part,
                         const std::vector<std::string>& turn_limits);

/// Throws InputError if `then` and `now` differ. `then` is the result of problem_text in the run that wrote
/// `checkpoint`, and `now` is its result in this run. The message shows a line of each text that the other
/// text lacks. The order of the lines does not matter.
void check_same_problem(const std::string& checkpoint, const std::string& then, const std::string& now);

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
