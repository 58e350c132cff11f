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

/// The checkpoints of a run: the one that it goes on with, and those that it writes. All calls but add()
/// are collective. Of loops that stand one after the other the one of the checkpoint goes on; those before it
/// run again, and write none.
class Checkpoints {
 public:
  /// All that can be wrong before a run is found here, as an InputError: a damaged checkpoint or one of
  /// another problem, and a folder that cannot be written. `history` gets the residuals of the earlier run,
  /// and must outlive this object, as must all that `run` refers to.
  Checkpoints(const CheckpointedRun& run, LoopHistory& history, Progress& progress);
  Checkpoints(const Checkpoints&) = delete;
  Checkpoints& operator=(const Checkpoints&) = delete;

  /// From here on it goes along with the run's loops, which it may end with a StoppedError.
  void listen(Bindings& bindings);

  /// Adds the section `checkpoints`; nothing without checkpoints.
  void add(Report& report) const;

 private:
  void check_folder(const CheckpointSettings& settings);
  /// Of the largest loop.
  double estimated_write_seconds() const;
  std::int64_t resume(int loop, const LoadArray& load);
  void keep(const LoopProgress& progress, const StoreArray& store);
  /// What could not be written is an error if the run is to end with it, else a warning.
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
  /// Loops before the one that goes on are under way.
  bool is_before_restart_ = false;
  std::optional<CheckpointFolder> folder_;
  std::optional<CheckpointDecisions> decisions_;
  /// The last one that this run wrote or came from; empty: none.
  std::string last_;
  std::int64_t next_number_ = 1;
  std::int64_t written_ = 0;
  double seconds_ = 0;
};

}  // namespace tessera::app
