// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/io/image_sink.hpp"
#include "tessera/pipeline/run/bindings.hpp"

namespace tessera::app {

/// The residuals of a run's loops, turn by turn. Rank 0 keeps the residuals, and other ranks only count them.
class LoopHistory {
 public:
  /// Makes an empty history for the loops of `pipeline`, which must outlive it, on this rank.
  LoopHistory(const Algorithm& pipeline, int rank);

  /// Adds a turn that has ended. It does nothing for loops without a residual.
  void add(const LoopProgress& progress);

  /// Adds the turns of an earlier run, before the first turn of a loop that continues it. `residuals` are
  /// those of the earlier run, on rank 0.
  void resume(int loop, std::int64_t turns, const std::vector<double>& residuals);

  /// Returns the residuals of the last run of a loop so far, on rank 0. They are empty when it has none, and
  /// on other ranks.
  std::vector<double> residuals(int loop) const;

  /// Returns a table as text: a line "loop,run,turn,residual", and a line for each turn of each run of a loop
  /// that has a residual. Runs and turns are counted from 1. Only rank 0 may call it.
  std::string csv() const;

  /// Returns lists for an HDF5 file: for each loop that has a residual and has run, `history/<loop>/residual`
  /// holds the residuals of all its runs one after the other, and `history/<loop>/turns` the number of turns
  /// of each run.
  std::vector<io::NumberList> lists() const;

 private:
  struct Entries {
    std::vector<double> residuals;
    /// The number of turns of each run.
    std::vector<std::int64_t> turns;
  };

  const Algorithm& pipeline_;
  bool keeps_;
  /// The entries of each loop of the pipeline.
  std::vector<Entries> loops_;
};

}  // namespace tessera::app
