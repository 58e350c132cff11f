// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/allocation.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "tessera/group/detail/local_search.hpp"

namespace tessera::group {
namespace {

using detail::Allocation;
using detail::Candidate;
using detail::ListOrder;

/// The parts of an allocation that several strategies share.
class Allocator {
 public:
  Allocator(const TaskGraph& graph, int ranks, const AllocationSettings& settings)
      : graph_(graph),
        ranks_(ranks),
        settings_(settings),
        relaxation_(relax(graph, ranks)),
        scheduler_(graph, settings.communication, ranks),
        search_(scheduler_, relaxation_.bound, 0) {}

  GroupSchedule result(Strategy strategy) {
    if (strategy == Strategy::mixed) return best_of_all();
    return scheduled(strategy, candidate_of(strategy));
  }

 private:
  int most_schedules() const {
    // The time of one schedule grows a little faster than the number of its tasks.
    return settings_.most_schedules.value_or(std::clamp(48000 / std::max(graph_.size(), 1), 50, 3000));
  }

  GroupSchedule scheduled(Strategy strategy, const Candidate& candidate) {
    scheduler_.schedule(candidate.allocation, candidate.rules);
    GroupSchedule schedule = scheduler_.result(std::string(name_of(strategy)));
    schedule.lower_bound = relaxation_.bound;
    return schedule;
  }

  Candidate candidate_of(Strategy strategy) {
    switch (strategy) {
      case Strategy::data:
        return search_.evaluate(detail::equal_ranks(graph_, ranks_), {});
      case Strategy::task:
        return search_.evaluate_exactly(Allocation(graph_.tasks().size(), 1));
      case Strategy::tsas:
        return tsas();
      case Strategy::cpr:
        return cpr();
      default:
        return searched();
    }
  }

  Candidate tsas() {
    const int bound = processor_bound(ranks_);
    return search_.evaluate(rounded_to_powers(graph_, ranks_, relaxation_, bound), {});
  }

  Candidate cpr();
  bool grow_one(Candidate& candidate);
  Candidate searched();
  std::vector<Allocation> starts() const;
  GroupSchedule best_of_all();

  /// The allocations that other strategies have found, from which the search begins as well.
  std::vector<Candidate> found_;
  const TaskGraph& graph_;
  int ranks_;
  AllocationSettings settings_;
  Relaxation relaxation_;
  detail::ListScheduler scheduler_;
  detail::LocalSearch search_;
};

/// Gives one task of the critical path more ranks, the first one that makes the schedule better. Tasks with
/// the longest time come first. The ranks grow by a half at a time, as steps of one would take too many
/// schedules.
bool Allocator::grow_one(Candidate& candidate) {
  const std::vector<double> after = bottom_levels(graph_, candidate.allocation, settings_.communication);
  std::vector<double> seconds, of_edges;
  for (int task = 0; task < graph_.size(); ++task)
    seconds.push_back(graph_.seconds(task, candidate.allocation[static_cast<std::size_t>(task)]));
  for (const Edge& edge : graph_.edges())
    of_edges.push_back(edge_seconds(edge, candidate.allocation, settings_.communication));
  const std::vector<double> before = detail::paths_before(graph_, seconds, of_edges);
  const double path = *std::ranges::max_element(after);
  std::vector<int> tasks;
  for (std::size_t i = 0; i < after.size(); ++i)
    if (before[i] + after[i] >= path * (1 - 1e-9)) tasks.push_back(static_cast<int>(i));
  std::ranges::stable_sort(tasks, std::ranges::greater(),
                           [&](int task) { return seconds[static_cast<std::size_t>(task)]; });
  for (const int task : tasks) {
    Allocation grown = candidate.allocation;
    int& own = grown[static_cast<std::size_t>(task)];
    own = std::min(own + std::max(1, own / 2), graph_.most_ranks(task, ranks_));
    if (own == candidate.allocation[static_cast<std::size_t>(task)]) continue;
    Candidate next = search_.evaluate(std::move(grown), candidate.rules);
    if (next.is_better_than(candidate)) {
      candidate = std::move(next);
      return true;
    }
    if (search_.is_done(candidate)) return false;
  }
  return false;
}

Candidate Allocator::cpr() {
  // CPR leaves a half of its schedules to the search, if that goes on from the result of CPR.
  search_.allow(settings_.strategy == Strategy::mixed ? most_schedules() / 2 : most_schedules());
  Candidate candidate = search_.evaluate(Allocation(graph_.tasks().size(), 1), {ListOrder::longest_rest});
  if (graph_.size() == 0) return candidate;
  while (!search_.is_done(candidate) && grow_one(candidate)) {
  }
  return candidate;
}

/// Returns the allocations from which the search begins.
std::vector<Allocation> Allocator::starts() const {
  std::vector<Allocation> result;
  const auto add = [&result](Allocation allocation) {
    if (std::ranges::find(result, allocation) == result.end()) result.push_back(std::move(allocation));
  };
  const auto add_roundings = [&](const Relaxation& relaxation) {
    add(rounded_to_powers(graph_, ranks_, relaxation, processor_bound(ranks_)));
    add(rounded_to_powers(graph_, ranks_, relaxation, ranks_));
    const Allocation near = detail::rounded(graph_, ranks_, relaxation.ranks_of_tasks);
    add(near);
    add(detail::rounded_down(graph_, ranks_, relaxation.ranks_of_tasks));
    for (const double longer : {1.0, 1.02, 1.05, 1.1, 1.2, 1.4})
      add(detail::shrunk(graph_, near, relaxation.value * longer));
  };
  add_roundings(relaxation_);
  add_roundings(relax_with_windows(graph_, ranks_, 2, 1e-3));
  if (settings_.communication.network != cost::NetworkCost{})
    add_roundings(relax_with_travel(graph_, ranks_, settings_.communication, 1e-3));
  add(detail::divided_by_levels(graph_, ranks_));
  for (int ranks = ranks_; ranks >= 1; ranks /= 2) add(detail::equal_ranks(graph_, ranks));
  return result;
}

Candidate Allocator::searched() {
  std::vector<Candidate> candidates = found_;
  search_.allow(settings_.strategy == Strategy::mixed ? most_schedules() * 3 / 2 : most_schedules());
  for (const Allocation& allocation : starts()) {
    candidates.push_back(search_.evaluate(allocation));
    if (!search_.has_schedules_left()) break;
  }
  std::ranges::stable_sort(candidates,
                           [](const Candidate& a, const Candidate& b) { return a.makespan < b.makespan; });
  constexpr std::size_t improved = 3;
  candidates.resize(std::min(candidates.size(), improved));
  Candidate best = candidates.front();
  for (Candidate& candidate : candidates) {
    search_.improve(candidate);
    if (candidate.is_better_than(best)) best = candidate;
  }
  search_.perturb(best);
  return best;
}

GroupSchedule Allocator::best_of_all() {
  Strategy winner = Strategy::data;
  Candidate best = candidate_of(winner);
  for (const Strategy strategy : {Strategy::task, Strategy::tsas, Strategy::cpr, Strategy::search}) {
    found_.push_back(best);
    Candidate candidate = candidate_of(strategy);
    if (candidate.makespan >= best.makespan) continue;
    best = std::move(candidate);
    winner = strategy;
  }
  return scheduled(winner, best);
}

}  // namespace

std::string_view name_of(Strategy strategy) { return strategy_names[static_cast<std::size_t>(strategy)]; }

GroupSchedule allocate(const TaskGraph& graph, int ranks, const AllocationSettings& settings) {
  return Allocator(graph, ranks, settings).result(settings.strategy);
}

double performance_factor(int ranks, int bound) {
  const double p = ranks, pb = bound;
  return (1 + p / (p - pb + 1)) * 2.25 * (p / pb) * (p / pb);
}

int processor_bound(int ranks) {
  int best = 1;
  for (int bound = 2; bound <= ranks; bound *= 2)
    if (performance_factor(ranks, bound) < performance_factor(ranks, best)) best = bound;
  return best;
}

std::vector<int> rounded_to_powers(const TaskGraph& graph, int ranks, const Relaxation& relaxation,
                                   int bound) {
  std::vector<int> allocation;
  for (int task = 0; task < graph.size(); ++task) {
    const double own = relaxation.ranks_of_tasks[static_cast<std::size_t>(task)];
    const auto below = static_cast<int>(std::bit_floor(static_cast<unsigned>(own)));
    const int nearest = own < 1.5 * below ? below : 2 * below;
    const auto most = std::bit_floor(static_cast<unsigned>(std::min(bound, graph.most_ranks(task, ranks))));
    allocation.push_back(std::min(nearest, static_cast<int>(most)));
  }
  return allocation;
}

}  // namespace tessera::group
