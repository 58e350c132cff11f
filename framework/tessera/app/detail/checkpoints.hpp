// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "tessera/app/detail/checkpoint_settings.hpp"
#include "tessera/app/detail/report.hpp"
#include "tessera/app/detail/restart.hpp"
#include "tessera/app/loop_history.hpp"

namespace tessera::app {

/// The checkpoints of a run: the checkpoint from which the run goes on, and the checkpoints that it writes.
/// All calls except add() are collective. If a run has several loops one after the other, only the loop
/// in the checkpoint goes on from there. The loops before it run again from their first turns, and write no
/// checkpoints.
class Checkpoints {
 public:
  /// Opens the checkpoint from which the run goes on, and checks that files can be written in the folder for
  /// checkpoints. Throws InputError if the checkpoint is damaged or belongs to another problem, if no file
  /// can be written in the folder, or if the folder holds checkpoints of another run. When the loop in the
  /// checkpoint begins, `history` gets the residuals of the earlier run. `history`, `progress` and all that
  /// `run` refers to must outlive this object.
  Checkpoints(const CheckpointedRun& run, LoopHistory& history, Progress& progress);
  Checkpoints(const Checkpoints&) = delete;
  Checkpoints& operator=(const Checkpoints&) = delete;

  /// Adds functions to `bindings` that load and write checkpoints in the loops of the run. These functions
  /// throw StoppedError when a signal or the wall limit ends the run.
  void listen(Bindings& bindings);

  /// Adds the section `checkpoints` to the report. Adds nothing if the run neither goes on from a checkpoint
  /// nor writes checkpoints.
  void add(Report& report) const;

 private:
  void check_folder(const CheckpointSettings& settings);
  /// Returns the expected time, in seconds, for writing the largest checkpoint of any loop.
  double estimated_write_seconds() const;
  std::int64_t resume(int loop, const LoadArray& load);
  void keep(const LoopProgress& progress, const StoreArray& store);
  /// Writes a checkpoint. `ends` says whether the run ends after this checkpoint. If the checkpoint cannot be
  /// written, the function throws InputError if `ends` is true, and prints a warning otherwise.
  void write(const LoopProgress& progress, const StoreArray& store, bool ends);
  void write_file(const std::string& path, const LoopProgress& progress, const StoreArray& store);
  [[noreturn]] void stop(const LoopProgress& progress, const CheckpointDecisions::Decision& decision) const;
  const CheckpointedLoop& loop_of(const LoopProgress& progress) const {
    return run_.loops[static_cast<std::size_t>(progress.loop)];
  }

  CheckpointedRun run_;
  LoopHistory& history_;
  Progress& progress_;
  std::unique_ptr<Restart> restart_;
  /// Whether the run goes on from a checkpoint, and the loop in this checkpoint has not begun yet.
  bool is_before_restart_ = false;
  std::optional<CheckpointFolder> folder_;
  std::optional<CheckpointDecisions> decisions_;
  /// The path of the last checkpoint that this run has written. Before the first one is written, it is the
  /// path of the checkpoint from which the run goes on, or empty if there is none.
  std::string last_;
  std::int64_t next_number_ = 1;
  std::int64_t written_ = 0;
  double seconds_ = 0;
};

}  // namespace tessera::app
