// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/io/image_sink.hpp"
#include "tessera/pipeline/run/bindings.hpp"

namespace tessera::app {

/// How the residuals of a run's loops went, turn by turn. Rank 0 keeps them, the others count.
class LoopHistory {
 public:
  LoopHistory(const Algorithm& pipeline, int rank);

  /// A turn has ended.
  void add(const LoopProgress& progress);

  /// Before the first turn of a loop that goes on with an earlier run: the residuals of that, on rank 0.
  void resume(int loop, std::int64_t turns, const std::vector<double>& residuals);

  /// Those of the last run of a loop by now, on rank 0; empty when it has none.
  std::vector<double> residuals(int loop) const;

  /// A line "loop,run,turn,residual", and one for each turn of each run of a loop that has a residual.
  std::string csv() const;

  /// For HDF5: of each such loop `history/<loop>/residual`, all its runs one after the other, and
  /// `history/<loop>/turns`, the turns of each run.
  std::vector<io::NumberList> lists() const;

 private:
  struct Entries {
    std::vector<double> residuals;
    /// Of each run.
    std::vector<std::int64_t> turns;
  };

  const Algorithm& pipeline_;
  bool keeps_;
  /// By loop of the pipeline.
  std::vector<Entries> loops_;
};

}  // namespace tessera::app
