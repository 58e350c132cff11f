// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/group/schedule.hpp"
#include "tessera/group/task_graph.hpp"

namespace tessera::group::detail {

/// A set of ranks as ranges in rising order. No two of them touch.
using RankSet = std::vector<RankRange>;

/// The times when the ranks of a machine have done their last tasks. Ranks that became free at the same time
/// are kept as one range, so that the work depends on the number of tasks and not on the number of ranks.
class FreeRanks {
 public:
  /// A time when ranks become free, and the number of all ranks that are free then.
  struct Count {
    double free = 0;
    int ranks = 0;
  };

  /// Makes all ranks free from the beginning.
  explicit FreeRanks(int ranks) : ranks_(ranks) { clear(); }
  /// Makes all ranks free from the beginning again.
  void clear();

  /// Returns the time when `count` ranks are free.
  double when_free(int count) const;
  /// Returns the time when all ranks of a set are free.
  double when_free(const RankSet& set) const;
  /// Returns the numbers of free ranks, by rising time. If several entries have one time, the last one
  /// counts.
  const std::vector<Count>& counts() const { return counts_; }
  /// Returns `count` ranks that are free at `start`, when at least as many are. They are contiguous if that
  /// is possible, and have been idle for the shortest time.
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

/// The rule that says which one of the tasks whose predecessors are placed is placed next. If tasks are
/// equal, the greatest bottom level decides, and then the lowest id.
enum class ListOrder {
  /// The task whose arrays are there first, as in the prioritised scheduling algorithm (PSA) of Ramaswamy,
  /// Sapatnekar and Banerjee.
  first_ready,
  /// The task that can start first, also in view of the ranks that are free.
  first_start,
  /// The task with the greatest bottom level.
  longest_rest,
};

/// The number of ranks that a task takes, compared with the number that it is to have.
enum class Fitting {
  /// A task takes exactly this number.
  exact,
  /// A task takes fewer ranks if it then ends sooner than if it waited for all.
  fewer,
  /// A task may take fewer ranks, as for `fewer`. If no other task is ready when it is placed, it may also
  /// take
  /// more ranks, which would be idle.
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

/// List scheduling of tasks on groups of given sizes. Each task is placed on the ranks where it can start
/// first, preferably on the ranks of a predecessor, as its arrays are there. It may be used many times.
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
  /// The ranks of a predecessor and the time when all arrays of a task are there.
  struct InPlace {
    RankSet ranks;
    double ready = 0;
  };
  /// A task whose predecessors are placed.
  struct Ready {
    TaskId task{};
    /// The time when all arrays can be on any ranks.
    double anywhere = 0;
    /// The first time when the arrays can be on some ranks.
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
