// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <cmath>

#include "tessera/pipeline/run/bindings.hpp"

namespace tessera {

/// How far a loop came before: as rounds, for the loop that goes on, or in an earlier run.
struct CountedTurns {
  std::int64_t turns = 0;
  std::int64_t resumed_at = 0;
  /// That the turn which comes next begins was told already.
  bool is_begun = false;
};

/// Tells of the turns of a loop.
class TurnTeller {
 public:
  TurnTeller(const Algorithm& pipeline, const plan::Repeat& loop, const Bindings& bindings,
             const CountedTurns& before)
      : pipeline_(pipeline), loop_(loop), bindings_(bindings) {
    progress_.loop = loop.rounds_of >= 0 ? loop.rounds_of : loop.loop;
    progress_.turns = before.turns;
    progress_.resumed_at = before.resumed_at;
    is_begun_ = before.is_begun;
  }

  void begin() {
    if (bindings_.before_turn && !is_begun_) bindings_.before_turn(progress_);
    is_begun_ = true;
  }
  /// Throws DivergedError when the residual is not finite.
  void end(double residual, bool has_converged) {
    begin();
    is_begun_ = false;
    ++progress_.turns;
    progress_.residual = residual;
    progress_.has_converged = has_converged;
    if (bindings_.after_turn) bindings_.after_turn(progress_);
    if (!std::isfinite(residual))
      throw DivergedError(
          fmt::format("the loop '{}' diverges: after turn {} its residual '{}' is {}; start from other data "
                      "or change its "
                      "parameters",
                      pipeline_.loops()[static_cast<std::size_t>(progress_.loop)].name, progress_.turns,
                      pipeline_[loop_.residuals.front()].name, residual));
  }
  const LoopProgress& progress() const { return progress_; }
  CountedTurns counted() const { return {progress_.turns, progress_.resumed_at, is_begun_}; }

 private:
  const Algorithm& pipeline_;
  const plan::Repeat& loop_;
  const Bindings& bindings_;
  LoopProgress progress_;
  bool is_begun_ = false;
};

/// Runs the turns of a loop: run_turns_together() does what stands under the node, run_swap(node) one swap,
/// keep(progress) is called between turns, number(array) is the first element of a value. `counted` says how
/// far the loop came before, and then where it ended. Rounds in which the loop should have ended are taken
/// back: their swaps are done again, last first, which leaves the iterate that they began with. Throws
/// DivergedError after a turn whose residual is not finite.
template <class RunTurns, class RunSwap, class Keep, class Number>
void run_turns(const Algorithm& pipeline, const plan::Repeat& loop, const Bindings& bindings,
               CountedTurns& counted, const RunTurns& run_turns_together, const RunSwap& run_swap,
               const Keep& keep, const Number& number) {
  TurnTeller teller(pipeline, loop, bindings, counted);
  bool holds = false;
  // A run that goes on with an earlier one may begin within what would have been a round.
  while (teller.progress().turns + loop.turns <= loop.maximum && !holds) {
    teller.begin();
    run_turns_together();
    holds = loop.condition >= 0 && number(loop.condition) != 0;
    if (holds && loop.rounds_of >= 0) {
      for (auto child = loop.children.rbegin(); child != loop.children.rend(); ++child)
        if (std::holds_alternative<plan::Swap>(child->step)) run_swap(*child);
      break;
    }
    for (std::size_t turn = 0; turn < static_cast<std::size_t>(loop.turns); ++turn)
      teller.end(loop.residuals.empty() ? 0 : number(loop.residuals[turn]), holds);
    if (!holds) keep(teller.progress());
  }
  counted = teller.counted();
  if (loop.rounds_of < 0 && bindings.after_loop) bindings.after_loop(teller.progress());
}

/// Runs the turns of a loop whose ranks agree on a turn while they compute the next one: run_points() does
/// what needs no reduction, start_test() starts the reductions of the points that were computed last,
/// finish_test() waits for those that were started and computes what follows, run_swaps() carries the
/// iterates over. When the loop ends the iterates are those of the turn at which it ends: the points of a
/// turn more are not carried over, and drop_test() forgets what they gave to reductions. So are they when
/// keep(progress) is called, after a turn that has been tested. That a turn begins is told when the one
/// before has been tested.
template <class RunPoints, class StartTest, class FinishTest, class DropTest, class RunSwaps, class Keep,
          class Number>
void run_overlapping_turns(const Algorithm& pipeline, const plan::Repeat& loop, const Bindings& bindings,
                           const CountedTurns& before, const RunPoints& run_points,
                           const StartTest& start_test, const FinishTest& finish_test,
                           const DropTest& drop_test, const RunSwaps& run_swaps, const Keep& keep,
                           const Number& number) {
  TurnTeller teller(pipeline, loop, bindings, before);
  bool holds = false;
  for (std::int64_t started = before.turns; !holds; ++started) {
    const bool is_first = started == before.turns;
    if (is_first) teller.begin();
    if (started < loop.maximum) run_points();
    if (!is_first) {
      finish_test();
      holds = loop.condition >= 0 && number(loop.condition) != 0;
      teller.end(loop.residuals.empty() ? 0 : number(loop.residuals.front()), holds);
      if (!holds) keep(teller.progress());
    }
    if (holds || started == loop.maximum) break;
    if (!is_first) teller.begin();
    start_test();
    run_swaps();
  }
  drop_test();
  if (bindings.after_loop) bindings.after_loop(teller.progress());
}

}  // namespace tessera
