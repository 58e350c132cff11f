// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tessera/app/detail/checkpoint_settings.hpp"
#include "tessera/app/detail/progress.hpp"
#include "tessera/app/session.hpp"
#include "tessera/io/checkpoint_file.hpp"
#include "tessera/pipeline/run/bindings.hpp"

namespace tessera::app {

/// A run with loops, as its checkpoints see it. All that it refers to must outlive it.
struct CheckpointedRun {
  Session& session;
  const PipelineApplication& application;
  const deck::Deck& deck;
  const Algorithm& pipeline;
  const Plan& plan;

  /// Returns the ids of the arrays that a loop carries, which its checkpoints hold.
  std::vector<int> array_ids(int loop) const;
  /// Returns the names, types and domains of these arrays, in the same order as array_ids().
  std::vector<io::FileArray> arrays(int loop) const;
};

/// The checkpoint from which a run goes on. All calls but path() and loop() are collective.
class Restart {
 public:
  /// Opens the checkpoint that the settings name, or the newest of a folder that is not damaged. Returns null
  /// when they name none, or a folder that holds none yet. Throws InputError when the checkpoint, or each one
  /// of a folder, is damaged, and when it is of another problem.
  static std::unique_ptr<Restart> find(const CheckpointedRun& run, const CheckpointSettings& settings,
                                       Progress& progress);

  const std::string& path() const { return reader_->path(); }
  /// The number of the checkpoint's loop in the pipeline.
  int loop() const { return loop_; }
  /// The number of turns of the loop that have ended.
  std::int64_t turns() const { return reader_->notes().turns; }
  /// Reads the residuals of these turns.
  std::vector<double> residuals() { return reader_->residuals(); }
  /// Loads all arrays that the loop carries.
  void load(const LoadArray& load);

 private:
  Restart(const CheckpointedRun& run, std::unique_ptr<io::CheckpointReader> reader);

  void check(const CheckpointedRun& run);
  void check_arrays(const std::vector<io::FileArray>& expected) const;
  [[noreturn]] void fail(const std::string& message) const;

  std::unique_ptr<io::CheckpointReader> reader_;
  int loop_ = -1;
  std::vector<int> array_ids_;
  /// The arrays of the file, in the order of `array_ids_`.
  std::vector<io::FileArray> arrays_;
};

}  // namespace tessera::app
