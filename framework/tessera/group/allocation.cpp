// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/allocation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>

#include "tessera/domain/error.hpp"
#include "tessera/group/detail/list_scheduler.hpp"
#include "tessera/group/detail/starting_allocations.hpp"

namespace tessera::group {
namespace {

using detail::Fitting;
using detail::ListOrder;
using detail::ListRules;
using detail::ListScheduler;

/// An allocation, the rules that place its tasks, and the schedule that they lead to.
struct Candidate {
  Allocation allocation;
  ListRules rules;
  double makespan = 0;
  /// The sum of the ends of all tasks. If two schedules have equal makespans, the lower sum leaves more room.
  double sum_of_ends = 0;

  /// Returns true if this is better by more than rounding.
  bool is_better_than(const Candidate& other) const {
    constexpr double rounding = 1e-9;
    if (makespan < other.makespan * (1 - rounding)) return true;
    return makespan <= other.makespan && sum_of_ends < other.sum_of_ends * (1 - rounding);
  }
};

constexpr ListRules all_rules[] = {
    {ListOrder::first_ready, Fitting::fewer},         {ListOrder::first_start, Fitting::fewer},
    {ListOrder::longest_rest, Fitting::fewer},        {ListOrder::first_ready, Fitting::fewer_or_more},
    {ListOrder::first_start, Fitting::fewer_or_more}, {ListOrder::longest_rest, Fitting::fewer_or_more},
    {ListOrder::first_ready, Fitting::exact},         {ListOrder::first_start, Fitting::exact},
    {ListOrder::longest_rest, Fitting::exact}};
/// Starting allocations are tried with these rules only, as tasks that may take fewer ranks hardly ever make
/// a schedule longer.
constexpr auto flexible_rules = std::span(all_rules).first(6);
constexpr auto exact_rules = std::span(all_rules).last(3);

/// A search for better allocations by changing the ranks of a few tasks at a time and scheduling all tasks
/// again. It is deterministic, and ends after a number of schedules, or when the makespan has reached a lower
/// bound.
class LocalSearch {
 public:
  LocalSearch(ListScheduler& scheduler, double lower_bound, int most_schedules)
      : scheduler_(scheduler), lower_bound_(lower_bound), left_(most_schedules) {}

  /// Returns the candidate of an allocation by given rules.
  Candidate evaluate(Allocation allocation, const ListRules& rules) {
    --left_;
    Candidate candidate{std::move(allocation), rules, 0, 0};
    candidate.makespan = scheduler_.schedule(candidate.allocation, rules);
    for (const detail::Placement& placement : scheduler_.placements())
      candidate.sum_of_ends += placement.finish;
    return candidate;
  }

  /// Returns the best candidate of an allocation by some rules.
  Candidate evaluate(const Allocation& allocation, std::span<const ListRules> rules) {
    Candidate best = evaluate(allocation, rules.front());
    for (const ListRules& one : rules.subspan(1))
      if (Candidate other = evaluate(allocation, one); other.is_better_than(best)) best = std::move(other);
    return best;
  }

  /// Returns the best candidate that some candidates and further allocations lead to.
  Candidate best_of(std::vector<Candidate> candidates, const std::vector<Allocation>& starts) {
    for (const Allocation& allocation : starts) {
      if (left_ <= 0) break;
      candidates.push_back(evaluate(allocation, flexible_rules));
    }
    std::ranges::stable_sort(candidates, {}, &Candidate::makespan);
    constexpr std::size_t most_improved = 3;
    candidates.resize(std::min(candidates.size(), most_improved));
    Candidate best = candidates.front();
    for (Candidate& candidate : candidates) {
      improve(candidate);
      if (candidate.is_better_than(best)) best = candidate;
    }
    perturb(best);
    return best;
  }

 private:
  /// Changes the tasks that decide the makespan as long as that makes a candidate better.
  void improve(Candidate& candidate) {
    for (bool is_better = true; is_better && !is_done(candidate);) {
      is_better = false;
      for (const TaskId task : deciding_tasks(candidate)) {
        const std::vector<TaskId> same = alike(candidate, task);
        is_better = (same.size() > 1 && try_sizes(candidate, same)) || try_sizes(candidate, {task}) ||
                    try_transfers(candidate, task);
        if (is_better || is_done(candidate)) break;
      }
      if (!is_better) is_better = try_rules(candidate);
    }
  }

  /// Changes tasks at random, improves the result, and keeps it if it is better, until the search is done.
  void perturb(Candidate& candidate) {
    const TaskGraph& graph = scheduler_.graph();
    while (!is_done(candidate)) {
      Candidate other = candidate;
      const std::uint64_t changes = 1 + random() % 3;
      for (std::uint64_t i = 0; i < changes; ++i) {
        const auto task = static_cast<TaskId>(random() % other.allocation.values().size());
        int& own = other.allocation[task];
        const int change = std::max(1, own / static_cast<int>(2 + random() % 6));
        own = std::clamp(random() % 2 == 0 ? own + change : own - change, 1,
                         graph.most_ranks(task, scheduler_.ranks()));
      }
      other = evaluate(std::move(other.allocation), all_rules[random() % std::size(all_rules)]);
      constexpr double worth_improving = 1.05;
      if (other.makespan < candidate.makespan * worth_improving) improve(other);
      if (other.is_better_than(candidate)) candidate = std::move(other);
    }
  }

  /// Returns whether the search ends, because no more schedules may be tried, or the makespan has reached the
  /// lower bound.
  bool is_done(const Candidate& candidate) const {
    return left_ <= 0 || candidate.makespan <= lower_bound_ * (1 + 1e-6);
  }

  /// Returns the tasks on a chain from the first task to the last one. Each task waits for the end of the one
  /// before: for its arrays, or for its ranks. The last one comes first.
  std::vector<TaskId> deciding_tasks(const Candidate& candidate) {
    if (candidate.allocation.empty()) return {};
    scheduler_.schedule(candidate.allocation, candidate.rules);
    const IdVector<TaskId, detail::Placement>& placed = scheduler_.placements();
    const double tolerance = 1e-9 * candidate.makespan;
    TaskId task{};
    for (const TaskId other : placed.ids())
      if (placed[other].finish > placed[task].finish) task = other;
    std::vector<TaskId> chain;
    IdVector<TaskId, bool> is_in(placed.size());
    while (!is_in[task]) {
      chain.push_back(task);
      is_in[task] = true;
      const TaskId last = task;
      double latest = 0;
      for (const TaskId other : placed.ids()) {
        const double finish = placed[other].finish;
        if (is_in[other] || finish > placed[last].start + tolerance || finish <= latest) continue;
        task = other;
        latest = finish;
      }
    }
    return chain;
  }

  /// Gives tasks that have equally many ranks more or fewer of them.
  bool try_sizes(Candidate& candidate, const std::vector<TaskId>& tasks) {
    const int own = candidate.allocation[tasks.front()];
    int sizes[] = {own + 1, own + std::max(2, own / 4), own * 2,
                   own - 1, own - std::max(2, own / 4), own / 2};
    for (const int size : sizes) {
      Allocation changed = candidate.allocation;
      for (const TaskId task : tasks)
        changed[task] = std::clamp(size, 1, scheduler_.graph().most_ranks(task, scheduler_.ranks()));
      if (changed != candidate.allocation && accept(candidate, std::move(changed), candidate.rules))
        return true;
    }
    return false;
  }

  /// Gives a task ranks of another task that runs at the same time.
  bool try_transfers(Candidate& candidate, TaskId task) {
    const TaskGraph& graph = scheduler_.graph();
    scheduler_.schedule(candidate.allocation, candidate.rules);
    const detail::Placement own = scheduler_.placements()[task];
    std::vector<TaskId> beside;
    for (const TaskId other : candidate.allocation.ids()) {
      const detail::Placement& placed = scheduler_.placements()[other];
      if (other != task && placed.start < own.finish && own.start < placed.finish &&
          candidate.allocation[other] > 1)
        beside.push_back(other);
    }
    for (const TaskId other : beside) {
      const int most = std::max(1, std::min(candidate.allocation[task], candidate.allocation[other]) / 4);
      for (const int moved : {1, most}) {
        Allocation changed = candidate.allocation;
        changed[task] += moved;
        changed[other] -= moved;
        if (changed[task] > graph.most_ranks(task, scheduler_.ranks())) continue;
        if (accept(candidate, std::move(changed), candidate.rules)) return true;
        if (most == 1) break;
      }
    }
    return false;
  }

  /// Tries the other rules for the same allocation.
  bool try_rules(Candidate& candidate) {
    for (const ListRules& rules : all_rules)
      if (rules != candidate.rules && accept(candidate, candidate.allocation, rules)) return true;
    return false;
  }

  /// Schedules an allocation by rules. If the result is better than the candidate, replaces it and returns
  /// true.
  bool accept(Candidate& candidate, Allocation allocation, const ListRules& rules) {
    if (left_ <= 0) return false;
    Candidate next = evaluate(std::move(allocation), rules);
    if (!next.is_better_than(candidate)) return false;
    candidate = std::move(next);
    return true;
  }

  /// Returns the tasks of the same level that have the same cost and as many ranks as a task.
  std::vector<TaskId> alike(const Candidate& candidate, TaskId task) const {
    const TaskGraph& graph = scheduler_.graph();
    std::vector<TaskId> tasks;
    for (const TaskId other : candidate.allocation.ids())
      if (candidate.allocation[other] == candidate.allocation[task] &&
          graph.levels()[other] == graph.levels()[task] &&
          graph.tasks()[other].cost == graph.tasks()[task].cost)
        tasks.push_back(other);
    return tasks;
  }

  /// Returns the next number of Marsaglia's xorshift generator, which is the same everywhere.
  std::uint64_t random() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }

  ListScheduler& scheduler_;
  double lower_bound_;
  /// The number of schedules that may still be tried.
  int left_;
  /// The state of the generator of random numbers.
  std::uint64_t state_ = 0x9e3779b97f4a7c15;
};

/// Returns the allocations that the search begins from, beside the allocations of the other strategies.
std::vector<Allocation> search_starts(const TaskGraph& graph, int ranks) {
  std::vector<Allocation> result;
  const auto add = [&result](Allocation allocation) {
    if (std::ranges::find(result, allocation) == result.end()) result.push_back(std::move(allocation));
  };
  add(detail::divided_by_levels(graph, ranks));
  for (int own = ranks; own >= 1; own /= 2) add(detail::equal_ranks(graph, own));
  for (Allocation& allocation : detail::grown_on_paths(graph, ranks)) add(std::move(allocation));
  return result;
}

}  // namespace

double makespan_bound(const TaskGraph& graph, int ranks) {
  double area = 0;
  for (const Task& task : graph.tasks()) area += task.cost.lower_bound(1);
  return std::max(critical_path(graph, detail::equal_ranks(graph, ranks), {}), area / ranks);
}

GroupSchedule allocate(const TaskGraph& graph, int ranks, const AllocationSettings& settings) {
  if (ranks < 1) throw InputError(fmt::format("groups: the machine has {} ranks: give at least 1", ranks));
  const double bound = makespan_bound(graph, ranks);
  // The greatest number of schedules falls with the number of tasks, because each schedule takes longer: its
  // time grows a little faster than this number.
  const int most_schedules =
      settings.most_schedules.value_or(std::clamp(96000 / std::max(graph.size(), 1), 100, 6000));
  ListScheduler scheduler(graph, settings.communication, ranks);
  LocalSearch search(scheduler, bound, most_schedules);
  const auto scheduled = [&](const char* strategy, const Candidate& candidate) {
    scheduler.schedule(candidate.allocation, candidate.rules);
    GroupSchedule schedule = scheduler.result(strategy);
    schedule.lower_bound = bound;
    return schedule;
  };
  const Candidate data = search.evaluate(detail::equal_ranks(graph, ranks), ListRules());
  if (settings.strategy == Strategy::data) return scheduled("data", data);
  const Candidate task = search.evaluate(Allocation(graph.size(), 1), exact_rules);
  if (settings.strategy == Strategy::task) return scheduled("task", task);
  const Candidate found = search.best_of({data, task}, search_starts(graph, ranks));
  if (found.makespan < std::min(data.makespan, task.makespan)) return scheduled("search", found);
  return task.makespan < data.makespan ? scheduled("task", task) : scheduled("data", data);
}

}  // namespace tessera::group
