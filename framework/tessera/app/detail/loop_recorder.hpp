// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "tessera/app/detail/progress.hpp"
#include "tessera/app/detail/report.hpp"
#include "tessera/app/loop_history.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/run/bindings.hpp"

namespace tessera::app {

/// Records the turns, times and residuals of the loops of a run, prints their progress lines, and adds the
/// loops to the report.
class LoopRecorder {
 public:
  LoopRecorder(const std::vector<RecordedLoop>& loops, Progress& progress, int rank);
  /// Makes a recorder of the loops of `pipeline`.
  LoopRecorder(const Algorithm& pipeline, Progress& progress, int rank)
      : LoopRecorder(recorded_loops(pipeline), progress, rank) {}

  /// Adds functions to `bindings` that record every turn of a run. This object must outlive the run.
  void listen(Bindings& bindings);

  /// Returns whether a loop is running. The steps of the plan are then repeated.
  bool is_inside() const { return depth_ > 0; }

  /// Returns a line about the first loop whose condition did not hold at the end of its last run. The line
  /// says whether more turns may help, or the residual has grown. Returns an empty text if there is no such
  /// loop. The last run of an inner loop is its run in the last turn of the outer loop.
  std::string unfinished() const;

  const LoopHistory& history() const { return history_; }
  LoopHistory& history() { return history_; }

  /// Forgets the residuals, before the loops run again for another image.
  void forget_history() { history_ = LoopHistory(loops_, rank_); }

  /// Adds the table `loops` to the report. Adds nothing if the run has no loops.
  void add(Report& report) const;

 private:
  using Clock = std::chrono::steady_clock;
  /// The sums over all runs of a loop. An inner loop runs once in every turn of the outer loop.
  struct Total {
    std::int64_t runs = 0;
    std::int64_t turns = 0;
    /// The number of turns that this run of the program has computed. `turns` also counts the turns of an
    /// earlier run from whose checkpoint this run goes on.
    std::int64_t own_turns = 0;
    double seconds = 0;
    Clock::time_point began = {};
    LoopProgress last = {};
    /// The least residual of the turns of the current run.
    double least_residual = 0;
  };

  static double seconds_since(Clock::time_point began);
  void before_turn(const LoopProgress& progress);
  void after_turn(const LoopProgress& progress);
  void after_loop(const LoopProgress& progress);
  const RecordedLoop& loop_of(const LoopProgress& progress) const;
  std::string residual_text(const LoopProgress& progress) const;

  std::vector<RecordedLoop> loops_;
  Progress& progress_;
  int rank_;
  LoopHistory history_;
  /// The sums for each loop.
  std::vector<Total> totals_;
  int depth_ = 0;
};

}  // namespace tessera::app
