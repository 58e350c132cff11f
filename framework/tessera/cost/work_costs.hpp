// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::cost {

/// The seconds that one thread takes for a point of a stage, by the name of the stage, for stages whose cost
/// is known. They hold for every point of a step whose last stage this is, except those of stages in its
/// tiles that have costs of their own.
using StageCosts = std::map<std::string, double, std::less<>>;

/// Reads the costs of stages from the JSON report of a run: the time of all threads of all ranks for the
/// steps that compute the stage, divided by the points of these steps. Throws InputError, without the name of
/// the file, if the text is not such a report, or if no step of it has computed points.
StageCosts stage_costs_from_report(std::string_view text);

/// The seconds that a task took, or takes, on a number of ranks.
struct TimedRanks {
  /// The number of ranks.
  int ranks = 1;
  /// The seconds on these ranks.
  double seconds = 0;

  friend bool operator==(const TimedRanks&, const TimedRanks&) = default;
};

/// The seconds of a task on p ranks, serial + parallel / p.
struct SharedCost {
  /// The seconds that do not fall with the number of ranks.
  double serial = 0;
  /// The seconds that the ranks share.
  double parallel = 0;

  /// Returns the seconds on this number of ranks.
  constexpr double seconds(double ranks) const { return serial + parallel / ranks; }

  friend bool operator==(const SharedCost&, const SharedCost&) = default;
};

/// The cost of a task on p ranks, which never grows with p.
class TaskCost {
 public:
  /// Makes the cost of a task that takes no time.
  TaskCost() = default;

  /// Makes a cost by Amdahl's law: t(p) = seconds * (serial_fraction + (1 - serial_fraction) / p). Throws
  /// InputError if the seconds on one rank are negative or not finite, or if the fraction is not in [0, 1].
  static TaskCost amdahl(double seconds_on_one_rank, double serial_fraction);

  /// Makes a cost from the seconds on some numbers of ranks, in any order. Between two of them the cost is
  /// interpolated linearly in 1/p, so that a table of values of Amdahl's law gives that law. Beyond the most
  /// ranks of the table the cost stays what it is there, because nothing says that it falls any further.
  /// Throws InputError if a cost is negative or not finite, if one of them is greater than the cost on fewer
  /// ranks, if a number of ranks appears twice, or if the table has no entry for one rank.
  static TaskCost table(std::vector<TimedRanks> entries);

  /// Returns the seconds on a number of ranks, which is a real number of at least 1.
  double seconds(double ranks) const;

  /// Returns costs of the form a + b/p that are never greater than this cost. The greatest of them is the
  /// best such bound that is convex in 1/p.
  const std::vector<SharedCost>& lower_bounds() const { return lower_bounds_; }
  /// Returns the seconds of the greatest of the lower bounds on a number of ranks.
  double lower_bound(double ranks) const;

  /// Returns true if the costs are made of equal numbers.
  friend bool operator==(const TaskCost&, const TaskCost&) = default;

 private:
  /// The entries of a table by rising number of ranks. Without entries the only lower bound is the cost.
  std::vector<TimedRanks> entries_;
  std::vector<SharedCost> lower_bounds_{SharedCost{}};
};

/// A cost a + b/p that was fitted to measured seconds, and how well it fits them.
struct FittedCost {
  /// The fitted cost.
  TaskCost cost;
  /// The relative residual (fitted - measured) / measured of the greatest magnitude.
  double largest_residual = 0;
};

/// Returns the cost a + b/p with the coefficients of fit_cost. A number of ranks may be measured several
/// times. Throws InputError if measured seconds are not finite and above 0, or if there are fewer than two
/// different numbers of ranks.
FittedCost fit_task_cost(std::span<const TimedRanks> measured);

/// Returns the cost of a task that was measured: the fitted one (see fit_task_cost) or, if it was measured on
/// one number of ranks only, one whose seconds ranks share evenly. Throws InputError if measured seconds are
/// not finite and above 0, or if there are none.
FittedCost measured_task_cost(std::span<const TimedRanks> measured);

/// Returns the numbers 1, 2, 4, ... below `most`, and `most`. Costs of tasks are measured and estimated on
/// these numbers of ranks. `most` is at least 1.
std::vector<int> doubling_counts(int most);

}  // namespace tessera::cost
