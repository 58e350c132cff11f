// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tessera/app/detail/checkpoint_settings.hpp"
#include "tessera/app/detail/progress.hpp"
#include "tessera/app/detail/recorders.hpp"
#include "tessera/app/detail/report.hpp"
#include "tessera/app/detail/run_setup.hpp"
#include "tessera/app/session.hpp"
#include "tessera/io/checkpoint_file.hpp"
#include "tessera/pipeline/run/bindings.hpp"

namespace tessera::app {

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
  /// Opens the checkpoint that the run restarts from, or the newest one in a folder that is not damaged, and
  /// tests that files can be written in the folder for checkpoints. Throws InputError if a checkpoint is
  /// damaged or belongs to another problem, if no file can be written, or if the folder holds checkpoints of
  /// another run. `loops` records the loops of the run. When the loop in the checkpoint begins, it gets the
  /// residuals of the earlier run. All that the arguments refer to must outlive this object.
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
  /// Opens the checkpoint that `path` names, or the newest one in this folder that is not damaged.
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
  /// The checkpoint that the run restarts from, or null, and the number of its loop.
  std::unique_ptr<io::CheckpointReader> restart_;
  int restart_loop_ = -1;
  /// Whether the run goes on from a checkpoint, and the loop in this checkpoint has not begun yet.
  bool is_before_restart_ = false;
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
