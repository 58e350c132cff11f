// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tessera/cost/machine_description.hpp"
#include "tessera/cost/work.hpp"
#include "tessera/cost/work_costs.hpp"
#include "tessera/pipeline/plan/plan.hpp"

namespace tessera::cost {

/// The part of a machine, or of a step, that most of the time of a step is spent on.
enum class Bound {
  nothing,     ///< The step takes no time on this rank.
  hidden,      ///< The step waits for messages that have arrived while points were computed.
  unknown,     ///< The step reads or writes files, and the machine description says nothing of files.
  memory,      ///< Points are read from memory and written to it.
  last_cache,  ///< Points are read from the last-level cache and written to it.
  near_cache,  ///< Points are read and written in the nearest cache, each time that a body uses one.
  arithmetic,  ///< Points are computed, with a known cost of the stage.
  launch,      ///< Kernels are started and ended.
  latency,     ///< Messages are few bytes long, so that their number counts.
  bandwidth,   ///< Messages are long, so that their bytes count.
  files        ///< Files are read or written.
};

/// Returns the words for a bound, such as "last cache".
std::string_view name_of(Bound bound);

/// The cost of a step of a plan on one rank, or of a part of the work of a program without plans.
struct StepEstimate {
  /// The id of the node, or the number of the part.
  int node = 0;
  /// The number of runs of the step, if each loop makes its greatest number of turns. For a stream, it is the
  /// number for one item.
  double times = 1;
  /// The seconds of all these runs together.
  double seconds = 0;
  /// The part that most of these seconds are spent on.
  Bound bound = Bound::nothing;
  /// Whether the step computes points of stages whose cost per point is neither known nor declared by their
  /// kernel. The accesses of their bodies in the nearest cache then stand for their arithmetic.
  bool assumes_costs = false;
};

/// The cost of a plan, or of the work of a program without plans, on one rank.
struct RankEstimate {
  /// The rank.
  int rank = 0;
  /// The leaves of the plan that do something (see is_step), in the order of their ids.
  std::vector<StepEstimate> steps;
  /// The sum over all steps.
  double seconds = 0;
};

/// Estimates how long a plan takes on its rank, by closed forms, without running anything:
///
/// A step that computes takes the longest of three times, and the time of a kernel's launch. These are the
/// time to move the bytes that it reads and writes at least once, by the speed of memory, or in loops by that
/// of the last-level cache, if half of it holds the arrays of all ranks of a node; the time of its arithmetic
/// on the threads that have tiles, by the costs that are given or else by the operations that a kernel
/// declares (see StageKernel::operations_per_point); and, for the other stages, the time of all reads and
/// writes of the bodies in the nearest cache. A step that fills in points beyond a border takes the time to
/// move them and a launch. An exchange takes the time of the messages that the rank sends, or of those that
/// it receives, whichever is longer; each message takes a latency and a time for each byte. If it is
/// overlapped, the time of the steps before the wait is taken off. A global reduction takes a message for
/// each level of a tree over all ranks. Files count if the description has their speeds. Steps in loops count
/// for the greatest number of turns.
///
/// Ranks are placed on nodes in order, as many as the node has cores for. There are as many nodes as that
/// needs, even if the machine has fewer.
RankEstimate estimate(const Algorithm& pipeline, const Plan& plan, const MachineDescription& machine,
                      const StageCosts& costs = {});

/// Estimates how long the work of one of `ranks` ranks takes, which have `threads` threads each. A part takes
/// the longest of the times of its files, memory, arithmetic and messages, and its launches. The
/// receivers of messages are spread evenly over all nodes. Where the machine has no speed of files, they take
/// no time.
RankEstimate estimate(const Work& work, const MachineDescription& machine, std::int64_t ranks, int threads);

/// The cost of the plans of several ranks together. The plans of all ranks have the same steps.
class PlanEstimates {
 public:
  /// Adds the estimate of a rank.
  void add(const RankEstimate& rank);

  /// Returns the rank that takes the longest. If several do, it is the one that was added first. At least one
  /// rank must have been added.
  const RankEstimate& slowest() const { return slowest_; }
  /// Returns the rank that is done first. If several are, it is the one that was added first.
  const RankEstimate& fastest() const { return fastest_; }
  /// Returns the seconds that the plans take if every step waits for the rank that is the slowest in this
  /// step. Ranks wait for each other at exchanges and reductions only, so that a run takes at most as long,
  /// and at least as long as the slowest rank.
  double seconds_if_all_wait() const;

 private:
  RankEstimate slowest_;
  RankEstimate fastest_;
  std::vector<double> longest_;
};

}  // namespace tessera::cost
