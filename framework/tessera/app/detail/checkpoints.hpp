// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "tessera/app/detail/checkpoint_decisions.hpp"
#include "tessera/app/detail/checkpoint_folder.hpp"
#include "tessera/app/detail/report.hpp"
#include "tessera/app/detail/restart.hpp"
#include "tessera/app/loop_history.hpp"

namespace tessera::app {

/// The checkpoints of a run: the one from which it goes on, and those that it writes. All calls but add() are
/// collective. Where loops stand one after the other, the loop of the checkpoint goes on; the loops before it
/// run again and write no checkpoints.
class Checkpoints {
 public:
  /// Opens the checkpoint to go on from, and tries whether the folder can be written. Throws InputError for a
  /// checkpoint that is damaged or of another problem, for a folder that cannot be written, and for one that
  /// holds checkpoints of another run. `history` gets the residuals of the earlier run. It, `progress` and
  /// all that `run` refers to must outlive this object.
  Checkpoints(const CheckpointedRun& run, LoopHistory& history, Progress& progress);
  Checkpoints(const Checkpoints&) = delete;
  Checkpoints& operator=(const Checkpoints&) = delete;

  /// Adds the functions that load and write checkpoints in the run's loops, and that may end them with a
  /// StoppedError.
  void listen(Bindings& bindings);

  /// Adds the section `checkpoints`, or nothing if the run neither goes on from a checkpoint nor writes any.
  void add(Report& report) const;

 private:
  void check_folder(const CheckpointSettings& settings);
  /// Returns the time that the checkpoint of the loop with the most bytes is expected to take.
  double estimated_write_seconds() const;
  std::int64_t resume(int loop, const LoadArray& load);
  void keep(const LoopProgress& progress, const StoreArray& store);
  /// Writes a checkpoint. One that cannot be written is an InputError if the run `ends` with it, else a
  /// warning.
  void write(const LoopProgress& progress, const StoreArray& store, bool ends);
  void write_file(const std::string& path, const LoopProgress& progress, const StoreArray& store);
  [[noreturn]] void stop(const LoopProgress& progress, const CheckpointDecisions::Decision& decision) const;
  const LoopDeclaration& loop_of(const LoopProgress& progress) const {
    return run_.pipeline.loops()[static_cast<std::size_t>(progress.loop)];
  }

  CheckpointedRun run_;
  LoopHistory& history_;
  Progress& progress_;
  std::unique_ptr<Restart> restart_;
  /// Whether the loop of the checkpoint has not begun yet.
  bool is_before_restart_ = false;
  std::optional<CheckpointFolder> folder_;
  std::optional<CheckpointDecisions> decisions_;
  /// The path of the last checkpoint that this run wrote, or from which it goes on; empty: none.
  std::string last_;
  std::int64_t next_number_ = 1;
  std::int64_t written_ = 0;
  double seconds_ = 0;
};

}  // namespace tessera::app
