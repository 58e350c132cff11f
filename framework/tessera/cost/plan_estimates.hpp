// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/cost/estimate.hpp"

namespace tessera::cost {

/// The cost of the plans of several ranks together. The plans of all ranks have the same steps.
class PlanEstimates {
 public:
  /// Adds the estimate of a rank.
  void add(const RankEstimate& rank);

  /// Returns the rank that takes the longest, and of several the one that was added first. At least one rank
  /// must have been added.
  const RankEstimate& slowest() const { return slowest_; }
  /// Returns the rank that is done first, and of several the one that was added first.
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
