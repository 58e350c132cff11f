// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/group/schedule.hpp"
#include "tessera/group/task_graph.hpp"

namespace tessera::group::detail {

/// A set of ranks as ranges in rising order. No two of them touch.
using RankSet = std::vector<RankRange>;

/// The times at which the ranks of a machine have done their last tasks. Ranks that became free at the same
/// time are kept as one range, so that the work depends on the number of tasks and not on that of ranks.
class FreeRanks {
 public:
  /// A time at which ranks become free, and the number of all ranks that are free then.
  struct Count {
    double free = 0;
    int ranks = 0;
  };

  /// Makes all ranks free from the beginning.
  explicit FreeRanks(int ranks) : ranks_(ranks) { clear(); }
  /// Makes all ranks free from the beginning again.
  void clear();

  /// Returns the time from which `count` ranks are free.
  double when_free(int count) const;
  /// Returns the time from which all ranks of a set are free.
  double when_free(const RankSet& set) const;
  /// Returns the numbers of free ranks, by rising time. Of several entries with one time, the last one
  /// counts.
  const std::vector<Count>& counts() const { return counts_; }
  /// Returns `count` ranks that are free at `start`, when at least as many are. They are contiguous if that
  /// is possible, and have been idle for the least time.
  RankSet choose(int count, double start) const;
  /// Makes the ranks of a set free from `finish`, and not before.
  void occupy(const RankSet& set, double finish);

 private:
  struct Segment {
    RankRange ranks;
    double free = 0;
  };
  std::vector<RankRange> free_runs(double start) const;
  double busy_before(const RankRange& window) const;
  RankSet choose_scattered(int count, double start) const;
  void count_ranks();

  int ranks_;
  std::vector<Segment> segments_, before_;
  std::vector<Count> counts_;
};

/// The rule by which one of the tasks whose predecessors are placed is placed next. Of equal tasks it is the
/// one with the greatest bottom level, and then the one with the lowest id.
enum class ListOrder {
  /// The task whose arrays are there first, as in the prioritised scheduling algorithm (PSA) of Ramaswamy,
  /// Sapatnekar and Banerjee.
  first_ready,
  /// The task that can start first, also in view of the ranks that are free.
  first_start,
  /// The task with the greatest bottom level.
  longest_rest,
};

/// The use that tasks make, when they are placed, of the number of ranks that they are to have.
enum class Fitting {
  /// They have exactly this number.
  exact,
  /// They take fewer, if they end sooner on fewer ranks than if they wait for all.
  fewer,
  /// A task may take fewer ranks if it then ends sooner. If no other task is ready when it is placed, it may
  /// also take more ranks, which would be idle.
  fewer_or_more,
};

/// The rules of a list schedule.
struct ListRules {
  ListOrder order = ListOrder::first_ready;
  Fitting fitting = Fitting::exact;

  friend bool operator==(const ListRules&, const ListRules&) = default;
};

/// The place of a task in a schedule.
struct Placement {
  double start = 0;
  double finish = 0;
  RankSet ranks;
};

/// List scheduling of tasks on groups of given sizes. Each task is placed on those ranks on which it can
/// start first, preferably on the ranks of a predecessor, as its arrays are there. It may be used many times.
class ListScheduler {
 public:
  ListScheduler(const TaskGraph& graph, const Communication& communication, int ranks);

  /// Places all tasks on as many ranks as `allocation` says, except for the fitting. Returns the makespan.
  double schedule(const Allocation& allocation, const ListRules& rules);
  /// Returns where the tasks were placed the last time.
  const IdVector<TaskId, Placement>& placements() const { return placements_; }
  /// Returns the schedule of the last time as data, without its lower bound.
  GroupSchedule result(std::string strategy) const;
  /// Returns the number of ranks of the machine.
  int ranks() const { return ranks_; }
  const TaskGraph& graph() const { return graph_; }

 private:
  /// The ranks of a predecessor and the time from which all arrays of a task are there.
  struct InPlace {
    RankSet ranks;
    double ready = 0;
  };
  /// A task whose predecessors are placed.
  struct Ready {
    TaskId task{};
    /// The time from which all arrays can be on any ranks.
    double anywhere = 0;
    /// The first of the times from which the arrays can be on some ranks.
    double first = 0;
    std::vector<InPlace> in_place;
  };
  /// The first start of a ready task: with the predecessor of this place in its list, or elsewhere (-1).
  struct Choice {
    double start = 0;
    int in_place = -1;
  };

  void make_ready(TaskId task);
  void add_in_place(Ready& ready, TaskId predecessor) const;
  bool stays(const RankSet& from, const RankSet& to) const;
  Choice first_choice(const Ready& ready) const;
  double ready_anywhere(TaskId task) const;
  std::size_t next() const;
  void fit(Ready& ready);
  void place(Ready& ready);

  const TaskGraph& graph_;
  Communication communication_;
  int ranks_;
  ListRules rules_;
  Allocation ranks_of_tasks_;
  FreeRanks free_;
  IdVector<TaskId, double> bottom_levels_;
  IdVector<TaskId, int> missing_;
  std::vector<Ready> ready_;
  IdVector<TaskId, Placement> placements_;
};

}  // namespace tessera::group::detail
