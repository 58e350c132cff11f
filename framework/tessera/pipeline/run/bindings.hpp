// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <map>
#include <string>

#include "tessera/pipeline/plan/plan.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera {

/// How far a loop has come. It is the same on all ranks.
struct LoopProgress {
  /// The number of the loop in the pipeline.
  int loop = -1;
  /// The number of turns that have ended, including those of an earlier run that this one continues.
  std::int64_t turns = 0;
  /// The number of these turns that an earlier run has computed.
  std::int64_t resumed_at = 0;
  /// The residual of the loop after these turns; 0 before the first turn of this run, and if the loop has no
  /// residual.
  double residual = 0;
  /// Whether the condition of the loop holds.
  bool has_converged = false;
};

/// A function that fills this rank's part of an array that a loop carries from `source`. `array` is the id of
/// the array in the pipeline.
using LoadArray = std::function<void(int array, BlockSource& source)>;
/// A function that hands this rank's block of an array that a loop carries to `sink`. `array` is the id of
/// the array in the pipeline.
using StoreArray = std::function<void(int array, BlockSink& sink)>;

/// The sources, sinks and functions that a run of a plan calls. The sources and sinks must outlive the run.
struct Bindings {
  /// The source of each input, by the input's name. An input without a source keeps what its array holds.
  std::map<std::string, BlockSource*, std::less<>> sources;
  /// The sink of each output, by the output's name. An output without a sink stays in memory.
  std::map<std::string, BlockSink*, std::less<>> sinks;
  /// Makes the sources and sinks ready for the next item of a stream, such as a frame, and returns false when
  /// there is none. It must return the same on all ranks.
  std::function<bool()> next_item = {};
  /// Called before every turn of a loop.
  std::function<void(const LoopProgress&)> before_turn = {};
  /// Called after every turn of a loop.
  std::function<void(const LoopProgress&)> after_turn = {};
  /// Called once when a loop has ended, after its last turn.
  std::function<void(const LoopProgress&)> after_loop = {};
  /// Called by a PlanInstance before a loop that stands in no other loop. Returns the number of turns that an
  /// earlier run has computed, which must be the same on all ranks and less than the loop's maximum. If it is
  /// not 0, the function must have loaded all carried_arrays of the loop.
  std::function<std::int64_t(int loop, const LoadArray& load)> resume_loop = {};
  /// Called by a PlanInstance whenever a turn, or a round of turns, of such a loop has ended and the
  /// condition of the loop does not hold. It may store the carried_arrays, from which resume_loop can go on;
  /// all ranks must decide alike.
  std::function<void(const LoopProgress&, const StoreArray& store)> keep_loop = {};
};

/// A function that is called whenever a step of a plan begins, for progress and timing.
using StepObserver = std::function<void(const PlanNode&)>;

}  // namespace tessera
