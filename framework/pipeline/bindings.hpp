// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <map>
#include <string>

#include "tessera/pipeline/plan.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera {

/// How far a loop has come. The same on all ranks.
struct LoopProgress {
  /// Which of the pipeline's loops.
  int loop = -1;
  /// Turns that have ended.
  std::int64_t turns = 0;
  /// What the loop's residual is after them; 0 while there is none.
  double residual = 0;
  /// Its condition holds.
  bool has_converged = false;
};

/// What the file leaves of a plan talk to, by the name of the input or output. An input without a source
/// keeps what its array holds; an output without a sink stays in memory.
struct Bindings {
  std::map<std::string, BlockSource*, std::less<>> sources;
  std::map<std::string, BlockSink*, std::less<>> sinks;
  /// For plans of streams: makes sources and sinks ready for the next frame; false when there is none. The
  /// same on all ranks.
  std::function<bool()> next_item = {};
  /// Called before and after every turn of a loop, and after its last turn.
  std::function<void(const LoopProgress&)> before_turn = {};
  std::function<void(const LoopProgress&)> after_turn = {};
  std::function<void(const LoopProgress&)> after_loop = {};
};

/// Told when a step of a plan begins; for progress and timing.
using StepObserver = std::function<void(const PlanNode&)>;

}  // namespace tessera
