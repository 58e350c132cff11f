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

/// What a run and its checkpoints are about. Refers to all that it is given.
struct CheckpointedRun {
  Session& session;
  const PipelineApplication& application;
  const deck::Deck& deck;
  const Algorithm& pipeline;
  const Plan& plan;

  /// What a checkpoint holds of a loop, by array of the pipeline.
  std::vector<int> array_ids(int loop) const;
  std::vector<io::FileArray> arrays(int loop) const;
};

/// The checkpoint that a run goes on with. All calls but path() and loop() are collective.
class Restart {
 public:
  /// Null when the deck asks for none, or for a folder that holds none yet. Throws InputError when it is
  /// damaged (of a folder: all are), or of another problem.
  static std::unique_ptr<Restart> find(const CheckpointedRun& run, const CheckpointSettings& settings,
                                       Progress& progress);

  const std::string& path() const { return reader_->path(); }
  /// Of the pipeline.
  int loop() const { return loop_; }
  std::int64_t turns() const { return reader_->notes().turns; }
  std::vector<double> residuals() { return reader_->residuals(); }
  void load(const LoadArray& load);

 private:
  Restart(const CheckpointedRun& run, std::unique_ptr<io::CheckpointReader> reader);

  void check(const CheckpointedRun& run);
  void check_arrays(const std::vector<io::FileArray>& expected) const;
  [[noreturn]] void fail(const std::string& message) const;

  std::unique_ptr<io::CheckpointReader> reader_;
  int loop_ = -1;
  std::vector<int> array_ids_;
  /// In the same order.
  std::vector<io::FileArray> arrays_;
};

}  // namespace tessera::app
