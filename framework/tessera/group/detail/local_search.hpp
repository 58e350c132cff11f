// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/group/detail/list_scheduler.hpp"
#include "tessera/group/detail/starting_allocations.hpp"

namespace tessera::group::detail {

/// An allocation, the rules by which its tasks are placed, and the schedule that they lead to.
struct Candidate {
  Allocation allocation;
  ListRules rules;
  double makespan = 0;
  /// The sum of the ends of all tasks: of two schedules with equal makespans, the lower sum leaves more room.
  double sum_of_ends = 0;

  /// Returns true if this is better by more than rounding.
  bool is_better_than(const Candidate& other) const;
};

/// A search for better allocations by changing the ranks of a few tasks at a time and scheduling all tasks
/// again. It is deterministic, and ends after a number of schedules, or when the makespan has reached a lower
/// bound.
class LocalSearch {
 public:
  LocalSearch(ListScheduler& scheduler, double lower_bound, int most_schedules)
      : scheduler_(scheduler), lower_bound_(lower_bound), left_(most_schedules) {}

  /// Returns the candidate of an allocation by given rules.
  Candidate evaluate(Allocation allocation, const ListRules& rules);
  /// Returns the best candidate of an allocation by those rules with which tasks may take fewer ranks.
  Candidate evaluate(const Allocation& allocation);
  /// Returns the best candidate of an allocation in any order, where tasks have exactly their ranks.
  Candidate evaluate_exactly(const Allocation& allocation);
  /// Returns the best candidate to which some candidates and further allocations lead.
  Candidate best_of(std::vector<Candidate> candidates, const std::vector<Allocation>& starts);

 private:
  void improve(Candidate& candidate);
  void perturb(Candidate& candidate);
  bool is_done(const Candidate& candidate) const;
  std::vector<int> deciding_tasks(const Candidate& candidate);
  bool try_sizes(Candidate& candidate, const std::vector<int>& tasks);
  bool try_transfers(Candidate& candidate, int task);
  bool try_rules(Candidate& candidate);
  bool accept(Candidate& candidate, Allocation allocation, const ListRules& rules);
  std::vector<int> alike(const Candidate& candidate, int task) const;
  std::uint64_t random();

  ListScheduler& scheduler_;
  double lower_bound_;
  int left_;
  std::uint64_t state_ = 0x9e3779b97f4a7c15;
};

}  // namespace tessera::group::detail
