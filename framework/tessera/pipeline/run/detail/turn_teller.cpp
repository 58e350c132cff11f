// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/run/detail/turn_teller.hpp"

#include "tessera/pipeline/run/residual.hpp"

namespace tessera {

TurnTeller::TurnTeller(const Algorithm& pipeline, const plan::Repeat& loop, const Bindings& bindings,
                       const CountedTurns& before)
    : pipeline_(pipeline), loop_(loop), bindings_(bindings), is_begun_(before.is_begun) {
  progress_.loop = loop.loop_of_turns();
  progress_.turns = before.turns;
  progress_.resumed_at = before.resumed_at;
}

void TurnTeller::begin() {
  if (bindings_.before_turn && !is_begun_) bindings_.before_turn(progress_);
  is_begun_ = true;
}

void TurnTeller::end(double residual, bool has_converged) {
  begin();
  is_begun_ = false;
  ++progress_.turns;
  progress_.residual = residual;
  progress_.has_converged = has_converged;
  if (bindings_.after_turn) bindings_.after_turn(progress_);
  if (loop_.residuals.empty()) return;
  check_residual(pipeline_.loops()[static_cast<std::size_t>(progress_.loop)].name, progress_.turns,
                 pipeline_[loop_.residuals.front()].name, residual);
}

void TurnTeller::end_loop() const {
  if (bindings_.after_loop) bindings_.after_loop(progress_);
}

}  // namespace tessera
