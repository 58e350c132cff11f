// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "tessera/pipeline/run/detail/turn_teller.hpp"

namespace tessera {

/// The actions at the leaves of a plan, by one rank over MPI or by all ranks inside one process.
class StepActions {
 public:
  virtual ~StepActions() = default;

  /// Runs a leaf that is not a reduction.
  virtual void run_step(const PlanNode& step) = 0;
  /// Runs global reductions that follow each other in the plan.
  virtual void reduce(std::span<const PlanNode> reductions) = 0;

  /// Starts a global reduction of the points that were computed last.
  virtual void start_reduction(const PlanNode& reduction) = 0;
  /// Waits for a reduction that was started, and stores its result.
  virtual void finish_reduction(const PlanNode& reduction) = 0;
  /// Forgets the contributions to a reduction that has not been started.
  virtual void drop_reduction(const PlanNode& reduction) = 0;

  /// Does a swap once more, which takes it back.
  virtual void take_back(const PlanNode& swap) = 0;
  /// Loads the state of an earlier run from which a loop goes on, and returns its turns.
  virtual CountedTurns resume(const plan::Repeat& loop) = 0;
  /// May store the state of a loop. It is called between turns.
  virtual void keep(const LoopProgress& progress) = 0;
  /// Returns the first element of an array on which a loop depends.
  virtual double number(int array) = 0;
};

/// Walks through a plan in the order in which it runs. No other code knows how sequences, loops, bands and
/// items of a stream are run.
class PlanWalker {
 public:
  /// The arguments must outlive the walker.
  PlanWalker(const Algorithm& pipeline, const Bindings& bindings, StepActions& actions)
      : pipeline_(pipeline), bindings_(bindings), actions_(actions) {}

  /// Runs a node with all nodes below it.
  void run(const PlanNode& node);
  /// Runs nodes one after the other. Reductions that follow each other run together.
  void run(const std::vector<PlanNode>& nodes);

 private:
  /// Runs the turns of a loop. A round in which the loop should have ended is taken back: its swaps are done
  /// again, the last one first, which restores the iterate with which it began.
  void run_turns(const plan::Repeat& loop);
  /// Runs the turns of a loop whose ranks agree on the condition of a turn while they compute the next one.
  /// When the loop ends the iterates are those of the turn at which it ends: the points of the turn after it
  /// are not carried over, and their contributions to reductions are dropped. State is kept after a turn has
  /// been tested, with the iterates of that turn. Bindings::before_turn is called when the turn before has
  /// been tested.
  void run_overlapping_turns(const plan::Repeat& loop);
  /// Waits for the reductions of a turn and computes the values that follow from them, in the order of the
  /// plan, which may let them share memory.
  void finish_test(const plan::Repeat& loop);
  bool condition_holds(const plan::Repeat& loop);

  const Algorithm& pipeline_;
  const Bindings& bindings_;
  StepActions& actions_;
  /// The turns of the loop that ended last, for the loop that goes on with its rounds.
  CountedTurns turns_;
};

}  // namespace tessera
