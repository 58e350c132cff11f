// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/pipeline/run/bindings.hpp"

namespace tessera {

/// The turns that count as done when a loop begins: those of the loop of rounds that it continues, or those
/// of an earlier run.
struct CountedTurns {
  /// The number of turns that have ended.
  std::int64_t turns = 0;
  /// The number of these turns that an earlier run has computed.
  std::int64_t resumed_at = 0;
  /// Whether Bindings::before_turn has been called for the next turn already.
  bool is_begun = false;
};

/// Counts the turns of a loop, and calls the functions of the bindings for each.
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
