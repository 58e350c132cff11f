// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tessera/pipeline/algorithm/algorithm.hpp"
#include "tessera/pipeline/plan/plan_nodes.hpp"
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

/// Returns the global reduction of a Reduce node.
inline ArrayId stage_of(const PlanNode& node) { return std::get<plan::Reduce>(node.step).stage; }

/// The actions at the leaves of a plan. One implementation runs one rank over MPI, and another one runs all
/// ranks inside one process.
class StepActions {
 public:
  virtual ~StepActions() = default;

  /// Runs a leaf that is not a global reduction.
  virtual void run_step(const PlanNode& step) = 0;
  /// Runs global reductions that follow each other in the plan.
  virtual void reduce(std::span<const PlanNode> reductions) = 0;

  /// Starts a global reduction of the points that were computed last.
  virtual void start_reduction(const PlanNode& reduction) = 0;
  /// Waits for a global reduction that was started, and stores its result.
  virtual void finish_reduction(const PlanNode& reduction) = 0;
  /// Forgets the contributions to a global reduction that has not been started.
  virtual void drop_reduction(const PlanNode& reduction) = 0;

  /// Undoes a swap by running it once more.
  virtual void take_back(const PlanNode& swap) = 0;
  /// Loads the state of an earlier run, if there is one, with which a loop that is not inside another loop
  /// goes on. Returns the turns that the earlier run has computed.
  virtual CountedTurns resume(const plan::Repeat& loop) = 0;
  /// May store the state of a loop that is not inside another loop. This function is called between turns.
  virtual void keep(const LoopProgress& progress) = 0;
  /// Shows the state of a loop that is not inside another loop, after a turn (see Bindings::look).
  virtual void look(const LoopProgress& progress) = 0;
  /// Returns the first element of `array`, which is the condition or the residual of a loop.
  virtual double number(ArrayId array) = 0;
};

/// Runs the nodes of a plan in their order. Only this class knows how sequences, loops and bands are run.
class PlanWalker {
 public:
  /// `follows` is the result of following_from_reductions(pipeline). Callers that run a plan several times
  /// make it once, so that a run allocates nothing. The arguments must outlive the walker.
  PlanWalker(const Algorithm& pipeline, const IdVector<ArrayId, bool>& follows, const Bindings& bindings,
             StepActions& actions)
      : pipeline_(pipeline), follows_(follows), bindings_(bindings), actions_(actions) {}

  /// Runs `node` and all nodes below it.
  void run(const PlanNode& node);
  /// Runs nodes one after the other. Global reductions that follow each other are run together.
  void run(const std::vector<PlanNode>& nodes);

 private:
  /// Runs a loop whose turns run one by one. If the loop follows a loop of rounds, and there are turns after
  /// which Bindings::look is called, rounds are run between these turns.
  void run_loop(const plan::Repeat& loop);
  /// Runs rounds of the loop `rounds_`, as long as a whole round is left and Bindings::look is not called
  /// inside of it.
  void run_rounds();
  /// Runs turns, or rounds of turns, as long as has_next(). Returns whether the condition ended the loop.
  bool run_turns(const plan::Repeat& loop, TurnTeller& teller);
  /// Does what run_turns() does. The ranks agree on the condition of one turn or round while they compute the
  /// next one. If the points of one more turn or round have been computed when the loop ends, the swaps after
  /// it are not run, and its contributions to reductions are dropped. The arrays of a loop whose turns run
  /// one by one are then those after the last tested turn. So are those of a loop of rounds that ends because
  /// no whole round is left. If the condition ends a loop of rounds, its arrays are those with which the last
  /// tested round began, because end_tested() undoes the swaps after that round. The state of the loop is
  /// stored after a test, with the arrays of the tested turn. Bindings::before_turn is called when the
  /// previous turn has been tested.
  bool run_overlapping_turns(const plan::Repeat& loop, TurnTeller& teller);
  /// Whether one more turn of a loop, or one more round, can be run after `turns` turns. A loop that follows
  /// a loop of rounds pauses when rounds can be run again.
  bool has_next(const plan::Repeat& loop, std::int64_t turns) const;
  /// Whether a loop that follows a loop of rounds goes on with rounds after `turns` turns.
  bool goes_on_in_rounds(const plan::Repeat& loop, std::int64_t turns) const;
  /// Whether a whole round of the loop `rounds` can be run after `turns` turns.
  bool has_round(const plan::Repeat& rounds, std::int64_t turns) const;
  /// Whether Bindings::look is called after the turn number `turn` of a loop.
  bool looks_after(const plan::Repeat& loop, std::int64_t turn) const;
  /// Ends the turns that the steps of a loop have computed: one turn, or a round. If the condition holds
  /// after a round, the round is undone instead. To this end its swaps are undone in reverse order, which
  /// restores the arrays with which the round began. Returns whether the condition holds.
  bool end_tested(const plan::Repeat& loop, TurnTeller& teller);
  /// Reports the turns that the steps of a loop have computed: one turn, or a round.
  void end_turns(const plan::Repeat& loop, TurnTeller& teller, bool holds);
  /// Whether a loop is not inside another loop.
  bool is_outer(const plan::Repeat& loop) const;
  /// Returns the turns of a loop that an earlier run has computed.
  CountedTurns resume(const plan::Repeat& loop) {
    return is_outer(loop) ? actions_.resume(loop) : CountedTurns();
  }
  /// Waits for the reductions of a turn, and computes the values that depend on their results. This is done
  /// in the order of the plan, because later results may use the memory of earlier ones.
  void finish_test(const plan::Repeat& loop);
  bool condition_holds(const plan::Repeat& loop);

  const Algorithm& pipeline_;
  /// The result of following_from_reductions, which tells the part of a turn of each step.
  const IdVector<ArrayId, bool>& follows_;
  const Bindings& bindings_;
  StepActions& actions_;
  /// The turns of the loop that ended last. The next loop continues from them if Repeat::continues is true.
  CountedTurns turns_;
  /// The loop of rounds before the loop that runs. It is null if there is none, or if the condition has held
  /// in one of the rounds, so that the turns that are left run one by one.
  const plan::Repeat* rounds_ = nullptr;
};

/// The parts of a turn, or of a round of turns, of a loop in which ranks agree on the condition of one turn
/// or round while they compute the next one. Each step of the loop belongs to one part. The points of a turn
/// are computed first. Then the reductions of the turn start, and its swaps run. After the points of the next
/// turn have been computed, the reductions finish, and the values are computed from their results.
enum class TurnPart : std::uint8_t {
  points,      ///< The steps that do not depend on the reductions of the turn.
  reductions,  ///< The global reductions.
  values,      ///< The computation of values that depend on the reductions.
  swaps        ///< The swaps.
};

/// Returns the part of a turn that a step of a loop belongs to. `follows` is the result of
/// following_from_reductions(pipeline).
TurnPart part_of(const Algorithm& pipeline, const IdVector<ArrayId, bool>& follows, const PlanNode& step);

}  // namespace tessera
