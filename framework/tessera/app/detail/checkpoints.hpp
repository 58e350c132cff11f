// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tessera/app/detail/interruptions.hpp"
#include "tessera/app/detail/progress.hpp"
#include "tessera/app/detail/recorders.hpp"
#include "tessera/app/detail/report.hpp"
#include "tessera/app/detail/run_setup.hpp"
#include "tessera/app/session.hpp"
#include "tessera/deck/deck.hpp"
#include "tessera/deck/schema.hpp"
#include "tessera/io/checkpoint_file.hpp"
#include "tessera/pipeline/run/bindings.hpp"

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
  /// The path of the checkpoint that the run goes on with, or of a directory of checkpoints.
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

  /// The first checkpoint is expected to take `write_seconds`. `session` must outlive this object.
  CheckpointDecisions(const Session& session, const CheckpointSettings& settings, double write_seconds);

  /// Begins a loop after `turns` turns that an earlier run has computed.
  void begin(std::int64_t turns);
  /// Returns the decision after `turns` turns of the loop. All ranks get the same decision. Collective.
  Decision decide(std::int64_t turns);
  /// Notes that it took `seconds` to write a checkpoint, or to find that it cannot be written. The next
  /// interval begins now.
  void wrote(double seconds);

 private:
  const Session& session_;
  CheckpointSettings settings_;
  double write_seconds_;
  StopSignals signals_;
  Clock::time_point last_write_ = Clock::now();
  std::int64_t last_turns_ = 0;
  // The time and turns of the last agreement of the ranks, and the number of turns to the next one.
  Clock::time_point last_check_;
  std::int64_t checked_turns_ = 0;
  std::int64_t period_ = 1;
};

/// The state of a loop that checkpoints may hold.
struct CheckpointedLoop {
  /// Whether the loop is inside another loop. Checkpoints do not hold the state of such a loop.
  bool is_inner = false;
  /// The ids of the arrays that the loop carries from turn to turn.
  std::vector<ArrayId> array_ids = {};
  /// The names, types and domains of these arrays, in the same order.
  std::vector<io::FileArray> arrays = {};
};

/// The parts of a run with loops that its checkpoints need. The session and the deck must outlive it.
struct CheckpointedRun {
  Session& session;
  const deck::Deck& deck;
  /// The name of the program.
  std::string program;
  /// The text that identifies the problem that the run computes (see problem_text).
  std::string problem;
  /// The loops of the run, in their order.
  std::vector<CheckpointedLoop> loops;

  /// Returns the description of a run of `plan`, with the loops of the pipeline.
  static CheckpointedRun of(const RunSetup& setup, const Plan& plan);
};

/// The checkpoint that a run restarts from, and those that it writes. All calls except add() are collective.
/// Only the loop in the checkpoint goes on from there. Loops before it run again from their first turns, and
/// write no checkpoints.
class Checkpoints {
 public:
  /// Opens the checkpoint that the run restarts from, or the newest undamaged one in a folder, and tests that
  /// files can be written in the folder for checkpoints. Throws InputError if a checkpoint is damaged or
  /// belongs to another problem, if no file can be written, or if the folder holds checkpoints of another
  /// run. `loops` records the loops of the run. When the loop in the checkpoint begins, it gets the residuals
  /// of the earlier run. All that the arguments refer to must outlive this object.
  Checkpoints(const CheckpointedRun& run, LoopRecorder& loops);
  Checkpoints(const Checkpoints&) = delete;
  Checkpoints& operator=(const Checkpoints&) = delete;

  /// Adds functions to `bindings` that load and write checkpoints in the loops of the run, and throw
  /// StoppedError when a signal or the wall limit ends the run.
  void listen(Bindings& bindings);

  /// Adds the section `checkpoints` to the report, if there are any.
  void add(Report& report) const;

 private:
  void check_folder(const CheckpointSettings& settings);
  /// Opens the checkpoint that `path` names, or the newest undamaged one if `path` is a folder.
  void open_restart(const std::string& path);
  /// Returns the number of the loop of the checkpoint. Throws InputError if the run cannot go on from there.
  int loop_of_restart() const;
  void check_arrays(const CheckpointedLoop& loop) const;
  [[noreturn]] void refuse(const std::string& message) const;
  /// Returns the expected time, in seconds, for writing the largest checkpoint of any loop.
  double estimated_write_seconds() const;
  std::int64_t resume(int loop, const LoadArray& load);
  void keep(const LoopProgress& progress, const StoreArray& store);
  /// Writes a checkpoint. `ends` says whether the run ends after this checkpoint. If the checkpoint cannot be
  /// written, the function throws InputError if `ends` is true, and prints a warning otherwise.
  void write(const LoopProgress& progress, const StoreArray& store, bool ends);
  void write_file(const std::string& path, const LoopProgress& progress, const StoreArray& store);
  [[noreturn]] void stop(const LoopProgress& progress, const CheckpointDecisions::Decision& decision) const;
  const CheckpointedLoop& state_of(int loop) const { return run_.loops[static_cast<std::size_t>(loop)]; }
  const RecordedLoop& loop_of(int loop) const { return loops_.loops()[static_cast<std::size_t>(loop)]; }

  CheckpointedRun run_;
  LoopRecorder& loops_;
  /// The checkpoint that the run restarts from, or null.
  std::unique_ptr<io::CheckpointReader> restart_;
  /// The number of the loop of `restart_`; -1 if there is no checkpoint, or if that loop has begun.
  int restart_loop_ = -1;
  /// The folder of the checkpoints that the run writes; empty if it writes none.
  std::string directory_;
  std::optional<CheckpointDecisions> decisions_;
  /// The path of the last checkpoint that this run has written. Before the first one is written, it is the
  /// path of the checkpoint that the run restarts from, or empty if there is none.
  std::string last_;
  std::int64_t next_number_ = 1;
  std::int64_t written_ = 0;
  double seconds_ = 0;
};

}  // namespace tessera::app
