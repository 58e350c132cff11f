// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/detail/local_search.hpp"

#include <algorithm>

namespace tessera::group::detail {
namespace {

/// The rules that the search tries. Starting allocations are tried with the first `flexible_rules` of them
/// only, as tasks that may take fewer ranks hardly ever make a schedule longer.
constexpr ListRules all_rules[] = {
    {ListOrder::first_ready, Fitting::fewer},         {ListOrder::first_start, Fitting::fewer},
    {ListOrder::longest_rest, Fitting::fewer},        {ListOrder::first_ready, Fitting::fewer_or_more},
    {ListOrder::first_start, Fitting::fewer_or_more}, {ListOrder::longest_rest, Fitting::fewer_or_more},
    {ListOrder::first_ready, Fitting::exact},         {ListOrder::first_start, Fitting::exact},
    {ListOrder::longest_rest, Fitting::exact}};
constexpr std::size_t flexible_rules = 6;

}  // namespace

bool Candidate::is_better_than(const Candidate& other) const {
  constexpr double rounding = 1e-9;
  if (makespan < other.makespan * (1 - rounding)) return true;
  return makespan <= other.makespan && sum_of_ends < other.sum_of_ends * (1 - rounding);
}

Candidate LocalSearch::evaluate(Allocation allocation, const ListRules& rules) {
  --left_;
  Candidate candidate{std::move(allocation), rules, 0, 0};
  candidate.makespan = scheduler_.schedule(candidate.allocation, rules);
  for (const Placement& placement : scheduler_.placements()) candidate.sum_of_ends += placement.finish;
  return candidate;
}

Candidate LocalSearch::evaluate(const Allocation& allocation) {
  Candidate best = evaluate(allocation, all_rules[0]);
  for (std::size_t i = 1; i < flexible_rules; ++i)
    if (Candidate other = evaluate(allocation, all_rules[i]); other.is_better_than(best))
      best = std::move(other);
  return best;
}

Candidate LocalSearch::evaluate_exactly(const Allocation& allocation) {
  Candidate best = evaluate(allocation, {ListOrder::first_ready});
  for (const ListOrder order : {ListOrder::first_start, ListOrder::longest_rest})
    if (Candidate other = evaluate(allocation, {order}); other.is_better_than(best)) best = std::move(other);
  return best;
}

Candidate LocalSearch::best_of(std::vector<Candidate> candidates, const std::vector<Allocation>& starts) {
  for (const Allocation& allocation : starts) {
    if (left_ <= 0) break;
    candidates.push_back(evaluate(allocation));
  }
  std::ranges::stable_sort(candidates, {}, &Candidate::makespan);
  constexpr std::size_t improved = 3;
  candidates.resize(std::min(candidates.size(), improved));
  Candidate best = candidates.front();
  for (Candidate& candidate : candidates) {
    improve(candidate);
    if (candidate.is_better_than(best)) best = candidate;
  }
  perturb(best);
  return best;
}

/// Returns whether no schedules are left, or none is needed.
bool LocalSearch::is_done(const Candidate& candidate) const {
  return left_ <= 0 || candidate.makespan <= lower_bound_ * (1 + 1e-6);
}

/// Returns the tasks on a chain from the first task to the last one, each of which waits for the end of the
/// one before: for its arrays, or for its ranks. The last one comes first.
std::vector<int> LocalSearch::deciding_tasks(const Candidate& candidate) {
  if (candidate.allocation.empty()) return {};
  scheduler_.schedule(candidate.allocation, candidate.rules);
  const std::vector<Placement>& placed = scheduler_.placements();
  const double tolerance = 1e-9 * candidate.makespan;
  std::size_t task = 0;
  for (std::size_t i = 0; i < placed.size(); ++i)
    if (placed[i].finish > placed[task].finish) task = i;
  std::vector<int> chain;
  std::vector<bool> is_in(placed.size());
  while (!is_in[task]) {
    chain.push_back(static_cast<int>(task));
    is_in[task] = true;
    const std::size_t last = task;
    double latest = 0;
    for (std::size_t i = 0; i < placed.size(); ++i) {
      if (is_in[i] || placed[i].finish > placed[last].start + tolerance || placed[i].finish <= latest)
        continue;
      task = i;
      latest = placed[i].finish;
    }
  }
  return chain;
}

bool LocalSearch::accept(Candidate& candidate, Allocation allocation, const ListRules& rules) {
  if (left_ <= 0) return false;
  Candidate next = evaluate(std::move(allocation), rules);
  if (!next.is_better_than(candidate)) return false;
  candidate = std::move(next);
  return true;
}

/// Returns the tasks of the same level that have the same cost and as many ranks as a task.
std::vector<int> LocalSearch::alike(const Candidate& candidate, int task) const {
  const TaskGraph& graph = scheduler_.graph();
  const auto id = static_cast<std::size_t>(task);
  std::vector<int> tasks;
  for (std::size_t i = 0; i < candidate.allocation.size(); ++i)
    if (candidate.allocation[i] == candidate.allocation[id] && graph.levels()[i] == graph.levels()[id] &&
        graph.tasks()[i].cost == graph.tasks()[id].cost)
      tasks.push_back(static_cast<int>(i));
  return tasks;
}

/// Gives tasks that have equally many ranks more or fewer of them.
bool LocalSearch::try_sizes(Candidate& candidate, const std::vector<int>& tasks) {
  const int own = candidate.allocation[static_cast<std::size_t>(tasks.front())];
  int tried[] = {own + 1, own + std::max(2, own / 4), own * 2, own - 1, own - std::max(2, own / 4), own / 2};
  for (const int size : tried) {
    Allocation changed = candidate.allocation;
    for (const int task : tasks)
      changed[static_cast<std::size_t>(task)] =
          std::clamp(size, 1, scheduler_.graph().most_ranks(task, scheduler_.ranks()));
    if (changed != candidate.allocation && accept(candidate, std::move(changed), candidate.rules))
      return true;
  }
  return false;
}

/// Gives a task ranks of one that runs at the same time.
bool LocalSearch::try_transfers(Candidate& candidate, int task) {
  const TaskGraph& graph = scheduler_.graph();
  scheduler_.schedule(candidate.allocation, candidate.rules);
  const Placement own = scheduler_.placements()[static_cast<std::size_t>(task)];
  std::vector<std::size_t> beside;
  for (std::size_t i = 0; i < candidate.allocation.size(); ++i) {
    const Placement& other = scheduler_.placements()[i];
    if (static_cast<int>(i) != task && other.start < own.finish && own.start < other.finish &&
        candidate.allocation[i] > 1)
      beside.push_back(i);
  }
  for (const std::size_t other : beside) {
    const int most = std::max(
        1, std::min(candidate.allocation[static_cast<std::size_t>(task)], candidate.allocation[other]) / 4);
    for (const int moved : {1, most}) {
      Allocation changed = candidate.allocation;
      changed[static_cast<std::size_t>(task)] += moved;
      changed[other] -= moved;
      if (changed[static_cast<std::size_t>(task)] > graph.most_ranks(task, scheduler_.ranks())) continue;
      if (accept(candidate, std::move(changed), candidate.rules)) return true;
      if (most == 1) break;
    }
  }
  return false;
}

bool LocalSearch::try_rules(Candidate& candidate) {
  for (const ListRules& rules : all_rules)
    if (rules != candidate.rules && accept(candidate, candidate.allocation, rules)) return true;
  return false;
}

/// Changes the tasks that decide the makespan as long as that makes a candidate better.
void LocalSearch::improve(Candidate& candidate) {
  for (bool is_better = true; is_better && !is_done(candidate);) {
    is_better = false;
    for (const int task : deciding_tasks(candidate)) {
      const std::vector<int> same = alike(candidate, task);
      is_better = (same.size() > 1 && try_sizes(candidate, same)) || try_sizes(candidate, {task}) ||
                  try_transfers(candidate, task);
      if (is_better || is_done(candidate)) break;
    }
    if (!is_better) is_better = try_rules(candidate);
  }
}

/// Returns the next number of Marsaglia's xorshift generator, which is the same everywhere.
std::uint64_t LocalSearch::random() {
  state_ ^= state_ << 13;
  state_ ^= state_ >> 7;
  state_ ^= state_ << 17;
  return state_;
}

/// Changes tasks at random, improves the result, and keeps it if it is better, until the search is done.
void LocalSearch::perturb(Candidate& candidate) {
  const TaskGraph& graph = scheduler_.graph();
  while (!is_done(candidate)) {
    Candidate other = candidate;
    const std::uint64_t changes = 1 + random() % 3;
    for (std::uint64_t i = 0; i < changes; ++i) {
      const auto task = static_cast<std::size_t>(random() % other.allocation.size());
      int& own = other.allocation[task];
      const int change = std::max(1, own / static_cast<int>(2 + random() % 6));
      own = std::clamp(random() % 2 == 0 ? own + change : own - change, 1,
                       graph.most_ranks(static_cast<int>(task), scheduler_.ranks()));
    }
    other = evaluate(std::move(other.allocation), all_rules[random() % std::size(all_rules)]);
    if (other.makespan < candidate.makespan * 1.05) improve(other);
    if (other.is_better_than(candidate)) candidate = std::move(other);
  }
}

}  // namespace tessera::group::detail
