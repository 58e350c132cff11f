// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <map>
#include <string>

#include "tessera/pipeline/plan/plan.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera {

/// How far a loop has come. The same on all ranks.
struct LoopProgress {
  /// Which of the pipeline's loops.
  int loop = -1;
  /// Turns that have ended, those of an earlier run too.
  std::int64_t turns = 0;
  /// Of them, those of an earlier run that this one goes on with.
  std::int64_t resumed_at = 0;
  /// What the loop's residual is after them; 0 while there is none.
  double residual = 0;
  /// Its condition holds.
  bool has_converged = false;
};

/// Moves what the rank stands for of an array that a loop carries.
using LoadArray = std::function<void(int array, BlockSource& source)>;
using StoreArray = std::function<void(int array, BlockSink& sink)>;

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
  /// Before a loop that stands in no other, of a PlanInstance: the turns that an earlier run has behind it.
  /// Unless there are none it loads all carried_arrays; they must be fewer than the loop's maximum.
  std::function<std::int64_t(int loop, const LoadArray& load)> resume_loop = {};
  /// When turns of such a loop have ended, without its condition: may store its carried_arrays, from which
  /// the loop goes on. The same on all ranks.
  std::function<void(const LoopProgress&, const StoreArray& store)> keep_loop = {};
};

/// Told when a step of a plan begins; for progress and timing.
using StepObserver = std::function<void(const PlanNode&)>;

}  // namespace tessera
