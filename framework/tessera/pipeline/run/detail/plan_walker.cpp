// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/run/detail/plan_walker.hpp"

#include <optional>

namespace tessera {

void PlanWalker::run(const PlanNode& node) {
  visit_step(
      node, [this](const plan::AnyOf<plan::Sequence, plan::Bands> auto& inner) { run(inner.children); },
      [this](const plan::Repeat& loop) {
        if (!loop.continues) {
          turns_ = resume(loop);
          rounds_ = loop.rounds_of >= 0 ? &loop : nullptr;
        }
        loop.rounds_of >= 0 ? run_rounds() : run_loop(loop);
      },
      [&](const plan::Reduce&) {
        actions_.reduce({&node, 1});
      },
      [&](const plan::AnyOf<plan::Read, plan::Write, plan::Exchange, plan::FinishExchange, plan::FillBoundary,
                            plan::Compute, plan::Swap> auto&) { actions_.run_step(node); });
}

void PlanWalker::run(const std::vector<PlanNode>& nodes) {
  for (std::size_t i = 0; i < nodes.size();) {
    std::size_t end = i;
    while (end < nodes.size() && std::holds_alternative<plan::Reduce>(nodes[end].step)) ++end;
    if (end > i)
      actions_.reduce(std::span(nodes).subspan(i, end - i));
    else
      run(nodes[end++]);
    i = end;
  }
}

bool PlanWalker::condition_holds(const plan::Repeat& loop) {
  return loop.condition != no_array && actions_.number(loop.condition) != 0;
}

bool PlanWalker::is_outer(const plan::Repeat& loop) const {
  return !pipeline_.is_inner(pipeline_.loop(loop.loop_of_turns()));
}

bool PlanWalker::looks_after(const plan::Repeat& loop, std::int64_t turn) const {
  return bindings_.looks_after && is_outer(loop) && bindings_.looks_after(loop.loop_of_turns(), turn);
}

bool PlanWalker::has_round(const plan::Repeat& rounds, std::int64_t turns) const {
  if (turns + rounds.turns > rounds.maximum) return false;
  for (std::int64_t turn = turns + 1; turn < turns + rounds.turns; ++turn)
    if (looks_after(rounds, turn)) return false;
  return true;
}

bool PlanWalker::goes_on_in_rounds(const plan::Repeat& loop, std::int64_t turns) const {
  return loop.continues && rounds_ != nullptr && has_round(*rounds_, turns);
}

bool PlanWalker::has_next(const plan::Repeat& loop, std::int64_t turns) const {
  if (loop.rounds_of >= 0) return has_round(loop, turns);
  return turns < loop.maximum && !goes_on_in_rounds(loop, turns);
}

void PlanWalker::end_turns(const plan::Repeat& loop, TurnTeller& teller, bool holds) {
  for (std::size_t turn = 0; turn < static_cast<std::size_t>(loop.turns); ++turn)
    teller.end(loop.residuals.empty() ? 0 : actions_.number(loop.residuals[turn]), holds);
  if (!holds && is_outer(loop)) actions_.keep(teller.progress());
  if (looks_after(loop, teller.progress().turns)) actions_.look(teller.progress());
}

bool PlanWalker::end_tested(const plan::Repeat& loop, TurnTeller& teller) {
  const bool holds = condition_holds(loop);
  if (!holds || loop.rounds_of < 0) {
    end_turns(loop, teller, holds);
  } else {
    for (auto child = loop.children.rbegin(); child != loop.children.rend(); ++child)
      if (std::holds_alternative<plan::Swap>(child->step)) actions_.take_back(*child);
  }
  return holds;
}

void PlanWalker::run_loop(const plan::Repeat& loop) {
  std::optional<TurnTeller> teller(std::in_place, pipeline_, loop, bindings_, turns_);
  bool holds = false;
  while (teller->progress().turns < loop.maximum && !holds) {
    if (goes_on_in_rounds(loop, teller->progress().turns)) {
      turns_ = teller->counted();
      run_rounds();
      teller.emplace(pipeline_, loop, bindings_, turns_);
    }
    holds = run_turns(loop, *teller);
  }
  turns_ = teller->counted();
  teller->end_loop();
}

void PlanWalker::run_rounds() {
  TurnTeller teller(pipeline_, *rounds_, bindings_, turns_);
  if (run_turns(*rounds_, teller)) rounds_ = nullptr;
  turns_ = teller.counted();
}

bool PlanWalker::run_turns(const plan::Repeat& loop, TurnTeller& teller) {
  if (loop.overlaps_test) return run_overlapping_turns(loop, teller);
  bool holds = false;
  while (!holds && has_next(loop, teller.progress().turns)) {
    teller.begin();
    run(loop.children);
    holds = end_tested(loop, teller);
  }
  return holds;
}

bool PlanWalker::run_overlapping_turns(const plan::Repeat& loop, TurnTeller& teller) {
  const auto for_part = [&](TurnPart part, const auto& use) {
    for (const PlanNode& child : loop.children)
      if (part_of(pipeline_, follows_, child) == part) use(child);
  };
  const auto run_child = [this](const PlanNode& child) { run(child); };
  std::int64_t started = teller.progress().turns;
  if (!has_next(loop, started)) return false;
  teller.begin();
  for_part(TurnPart::points, run_child);
  bool holds = false, has_more = true;
  while (has_more && !holds) {
    for_part(TurnPart::reductions, [this](const PlanNode& child) { actions_.start_reduction(child); });
    for_part(TurnPart::swaps, run_child);
    started += loop.turns;
    has_more = has_next(loop, started);
    if (has_more) for_part(TurnPart::points, run_child);
    finish_test(loop);
    holds = end_tested(loop, teller);
    if (has_more && !holds) teller.begin();
  }
  for_part(TurnPart::reductions, [this](const PlanNode& child) { actions_.drop_reduction(child); });
  return holds;
}

void PlanWalker::finish_test(const plan::Repeat& loop) {
  for (const PlanNode& child : loop.children) {
    const TurnPart part = part_of(pipeline_, follows_, child);
    if (part == TurnPart::values) run(child);
    if (part == TurnPart::reductions) actions_.finish_reduction(child);
  }
}

TurnPart part_of(const Algorithm& pipeline, const IdVector<ArrayId, bool>& follows, const PlanNode& step) {
  return visit_step(
      step, [](const plan::Swap&) { return TurnPart::swaps; },
      [](const plan::Reduce&) { return TurnPart::reductions; },
      [&](const plan::Compute& compute) {
        return pipeline[compute.stage].is_value() && follows[compute.stage] ? TurnPart::values
                                                                            : TurnPart::points;
      },
      [](const plan::AnyOf<plan::Sequence, plan::Repeat, plan::Bands, plan::Read, plan::Write, plan::Exchange,
                           plan::FinishExchange, plan::FillBoundary> auto&) { return TurnPart::points; });
}

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
  check_residual(pipeline_.loop(progress_.loop).name, progress_.turns,
                 pipeline_[loop_.residuals.front()].name, residual);
}

void TurnTeller::end_loop() const {
  if (bindings_.after_loop) bindings_.after_loop(progress_);
}

}  // namespace tessera
