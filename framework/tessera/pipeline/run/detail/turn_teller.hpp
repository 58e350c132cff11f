// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/pipeline/run/bindings.hpp"

namespace tessera {

/// The turns that count as done when a loop begins. They were computed by the loop of rounds before this loop
/// (see Repeat::continues), or by an earlier run.
struct CountedTurns {
  /// The number of turns that have ended.
  std::int64_t turns = 0;
  /// The number of turns that an earlier run has computed. `turns` includes these turns.
  std::int64_t resumed_at = 0;
  /// Whether Bindings::before_turn has already been called for the next turn.
  bool is_begun = false;
};

/// Counts the turns of a loop, and calls the functions of the bindings before and after each turn.
class TurnTeller {
 public:
  TurnTeller(const Algorithm& pipeline, const plan::Repeat& loop, const Bindings& bindings,
             const CountedTurns& before);

  /// Begins a turn. Further calls before the turn ends do nothing.
  void begin();
  /// Ends a turn. Throws DivergedError when the residual is not finite.
  void end(double residual, bool has_converged);
  /// Calls Bindings::after_loop.
  void end_loop() const;

  const LoopProgress& progress() const { return progress_; }
  CountedTurns counted() const { return {progress_.turns, progress_.resumed_at, is_begun_}; }

 private:
  const Algorithm& pipeline_;
  const plan::Repeat& loop_;
  const Bindings& bindings_;
  LoopProgress progress_;
  bool is_begun_ = false;
};

}  // namespace tessera
