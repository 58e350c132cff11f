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

/// How the loops of a run go: their progress lines, and what its report says of them.
class LoopRecorder {
 public:
  LoopRecorder(const Algorithm& pipeline, Progress& progress, int rank);

  /// From here on it hears of every turn. It must outlive the run.
  void listen(Bindings& bindings);

  /// A loop is under way: its steps come again and again.
  bool is_inside() const { return depth_ > 0; }

  /// A line about the first loop whose condition did not hold at the end of its last run, an inner loop's in
  /// the last turn of the outer one; empty when there is none.
  std::string unfinished() const;

  const LoopHistory& history() const { return history_; }
  LoopHistory& history() { return history_; }

  /// Adds the table `loops`; nothing when the pipeline has none.
  void add(Report& report) const;

 private:
  using Clock = std::chrono::steady_clock;
  /// All runs of a loop: an inner one runs in every turn of the outer one.
  struct Total {
    std::int64_t runs = 0;
    std::int64_t turns = 0;
    /// Without those of an earlier run.
    std::int64_t own_turns = 0;
    double seconds = 0;
    Clock::time_point began = {};
    LoopProgress last = {};
  };

  static double seconds_since(Clock::time_point began);
  void before_turn(const LoopProgress& progress);
  void after_turn(const LoopProgress& progress);
  void after_loop(const LoopProgress& progress);
  const LoopDeclaration& loop_of(const LoopProgress& progress) const;
  std::string residual_text(const LoopProgress& progress) const;

  const Algorithm& pipeline_;
  Progress& progress_;
  LoopHistory history_;
  /// By loop of the pipeline.
  std::vector<Total> totals_;
  int depth_ = 0;
};

}  // namespace tessera::app
