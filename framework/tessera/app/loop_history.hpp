// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/io/image_sink.hpp"
#include "tessera/pipeline/run/bindings.hpp"

namespace tessera::app {

/// The description of a loop in the records of a run.
struct RecordedLoop {
  /// The name of the loop.
  std::string name;
  /// The greatest number of turns.
  std::int64_t maximum = 1;
  /// Whether data end the loop, and not only the number of its turns.
  bool has_condition = false;
  /// The name of the residual. It is empty if the loop has no residual.
  std::string residual = {};
  /// Whether the residual is a floating-point number. Integers are counts, which may grow in loops that do
  /// what they are meant to do.
  bool residual_is_norm = false;
  /// The number of points that one turn updates.
  std::int64_t points = 0;
  /// Whether the turns are counted for another loop, which goes on with single turns (see
  /// LoopDeclaration::rounds_of).
  bool is_of_rounds = false;
};

/// Returns the loops of a pipeline, in their order.
std::vector<RecordedLoop> recorded_loops(const Algorithm& pipeline);

/// The residuals of all loops of a run, one residual for each turn. A loop may run several times. Rank 0
/// keeps the residuals; other ranks only count the turns.
class LoopHistory {
 public:
  /// Makes an empty history of `loops`. `rank` is the number of this rank.
  LoopHistory(std::vector<RecordedLoop> loops, int rank);
  /// Makes an empty history of the loops of `pipeline`.
  LoopHistory(const Algorithm& pipeline, int rank) : LoopHistory(recorded_loops(pipeline), rank) {}

  /// The loops.
  const std::vector<RecordedLoop>& loops() const { return loops_; }
  /// Forgets all turns.
  void clear() { entries_.assign(loops_.size(), {}); }

  /// Adds the turn that has just ended. `progress` describes the loop after this turn. Does nothing if the
  /// loop has no residual.
  void add(const LoopProgress& progress);

  /// Adds the turns of a loop in the checkpoint from which this run goes on, before its first new turn, with
  /// their residuals, which only rank 0 needs. Does nothing if the loop has no residual.
  void resume(int loop, std::int64_t turns, const std::vector<double>& residuals);

  /// Returns the residuals of the latest run of a loop, one for each turn so far, on rank 0.
  std::vector<double> residuals(int loop) const;

  /// Returns the history as a table in CSV format, "loop,run,turn,residual". Runs and turns are counted from
  /// 1. Only rank 0 may call this function.
  std::string csv() const;

  /// Returns the history as lists of numbers for an HDF5 file, for each loop that has a residual and has run:
  /// the residuals of all runs, `history/<loop>/residual`, and the turns of each, `history/<loop>/turns`.
  std::vector<io::NumberList> lists() const;

 private:
  struct Entries {
    std::vector<double> residuals;
    /// The number of turns of each run.
    std::vector<std::int64_t> turns;
  };

  std::vector<RecordedLoop> loops_;
  bool keeps_;
  /// The entries of each loop.
  std::vector<Entries> entries_;
};

}  // namespace tessera::app
