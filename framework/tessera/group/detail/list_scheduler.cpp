// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/detail/list_scheduler.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

namespace tessera::group::detail {

ListScheduler::ListScheduler(const TaskGraph& graph, const Communication& communication, int ranks)
    : graph_(graph), communication_(communication), ranks_(ranks), free_(ranks) {}

double ListScheduler::schedule(const Allocation& allocation, const ListRules& rules) {
  ranks_of_tasks_ = allocation;
  rules_ = rules;
  bottom_levels_ = bottom_levels(graph_, allocation, communication_);
  free_.clear();
  ready_.clear();
  placements_.values().assign(allocation.size(), {});
  missing_.resize(allocation.size());
  for (const TaskId task : graph_.tasks().ids()) {
    missing_[task] = static_cast<int>(graph_.edges_to(task).size());
    if (missing_[task] == 0) make_ready(task);
  }
  double makespan = 0;
  while (!ready_.empty()) {
    const std::size_t index = next();
    Ready chosen = std::move(ready_[index]);
    ready_.erase(ready_.begin() + static_cast<std::ptrdiff_t>(index));
    place(chosen);
    makespan = std::max(makespan, placements_[chosen.task].finish);
    for (const Edge& edge : graph_.edges_from(chosen.task))
      if (--missing_[edge.to] == 0) make_ready(edge.to);
  }
  return makespan;
}

/// Returns the time when all arrays of a task can be on any ranks, as many as the task has now.
double ListScheduler::ready_anywhere(TaskId task) const {
  double time = 0;
  for (const Edge& edge : graph_.edges_to(task)) {
    const double travels = edge_seconds(edge, ranks_of_tasks_, communication_);
    time = std::max(time, placements_[edge.from].finish + travels);
  }
  return time;
}

void ListScheduler::make_ready(TaskId task) {
  Ready ready;
  ready.task = task;
  ready.anywhere = ready_anywhere(task);
  for (const Edge& edge : graph_.edges_to(task)) add_in_place(ready, edge.from);
  ready.first = ready.anywhere;
  for (const InPlace& place : ready.in_place) ready.first = std::min(ready.first, place.ready);
  ready_.push_back(std::move(ready));
}

/// Returns whether an array need not travel from one set of ranks to another.
bool ListScheduler::stays(const RankSet& from, const RankSet& to) const {
  if (communication_.travel == Travel::between_hosts && from.front().begin == to.front().begin) return true;
  return from == to;
}

/// Adds the ranks of a predecessor to those where the task may run in place, if they are as many as the task
/// has. Where arrays travel between hosts, the ranks from the host of the predecessor on serve as well.
void ListScheduler::add_in_place(Ready& ready, TaskId predecessor) const {
  const int count = ranks_of_tasks_[ready.task];
  RankSet set = placements_[predecessor].ranks;
  if (ranks_of_tasks_[predecessor] != count) {
    const int host = set.front().begin;
    if (communication_.travel != Travel::between_hosts || host + count > ranks_) return;
    set = {{host, host + count}};
  }
  const auto is_same = [&set](const InPlace& known) { return known.ranks == set; };
  if (std::ranges::any_of(ready.in_place, is_same)) return;
  double at = 0;
  for (const Edge& edge : graph_.edges_to(ready.task)) {
    const Placement& from = placements_[edge.from];
    const double travels = stays(from.ranks, set) ? 0 : edge_seconds(edge, ranks_of_tasks_, communication_);
    at = std::max(at, from.finish + travels);
  }
  ready.in_place.push_back({std::move(set), at});
}

ListScheduler::Choice ListScheduler::first_choice(const Ready& ready) const {
  const int count = ranks_of_tasks_[ready.task];
  Choice choice{std::numeric_limits<double>::infinity(), -1};
  for (std::size_t i = 0; i < ready.in_place.size(); ++i) {
    const double start = std::max(ready.in_place[i].ready, free_.when_free(ready.in_place[i].ranks));
    if (start < choice.start) choice = {start, static_cast<int>(i)};
  }
  const double elsewhere = std::max(ready.anywhere, free_.when_free(count));
  if (elsewhere < choice.start) choice = {elsewhere, -1};
  return choice;
}

std::size_t ListScheduler::next() const {
  std::size_t best = 0;
  std::tuple<double, double, TaskId> best_key{std::numeric_limits<double>::infinity(), 0, TaskId{}};
  for (std::size_t i = 0; i < ready_.size(); ++i) {
    const Ready& ready = ready_[i];
    const double time = rules_.order == ListOrder::first_ready   ? ready.first
                        : rules_.order == ListOrder::first_start ? first_choice(ready).start
                                                                 : 0;
    const std::tuple key(time, -bottom_levels_[ready.task], ready.task);
    if (key < best_key) {
      best_key = key;
      best = i;
    }
  }
  return best;
}

/// Gives a task the number of ranks that lets it end first. The numbers of ranks that are free at some time
/// are tried. If several numbers lead to the same end, the lowest is taken.
void ListScheduler::fit(Ready& ready) {
  int& count = ranks_of_tasks_[ready.task];
  const bool may_grow = rules_.fitting == Fitting::fewer_or_more && ready_.empty();
  const int most = may_grow ? graph_.most_ranks(ready.task, ranks_) : count;
  const Choice choice = first_choice(ready);
  const double end = choice.start + graph_.seconds(ready.task, count);
  double least = end;
  int best = count;
  for (const FreeRanks::Count& free : free_.counts()) {
    const int tried = std::min(free.ranks, most);
    const double start = std::max(ready.anywhere, free.free);
    if (start >= least) break;
    const double tried_end = start + graph_.seconds(ready.task, tried);
    if (tried_end < least * (1 - 1e-9)) {
      least = tried_end;
      best = tried;
    }
  }
  if (best == count) return;
  count = best;
  ready.in_place.clear();
  for (const Edge& edge : graph_.edges_to(ready.task)) add_in_place(ready, edge.from);
  ready.anywhere = ready_anywhere(ready.task);
}

void ListScheduler::place(Ready& ready) {
  if (rules_.fitting != Fitting::exact) fit(ready);
  const Choice choice = first_choice(ready);
  const int count = ranks_of_tasks_[ready.task];
  Placement& placement = placements_[ready.task];
  placement.start = choice.start;
  placement.finish = choice.start + graph_.seconds(ready.task, count);
  placement.ranks =
      choice.in_place < 0 ? free_.choose(count, choice.start) : ready.in_place[choice.in_place].ranks;
  // A task that takes no time, such as a start, keeps no rank from a task before it.
  if (placement.finish > placement.start) free_.occupy(placement.ranks, placement.finish);
}

GroupSchedule ListScheduler::result(std::string strategy) const {
  GroupSchedule schedule;
  schedule.strategy = std::move(strategy);
  schedule.ranks = ranks_;
  for (const TaskId task : graph_.tasks().ids()) {
    const Placement& placed = placements_[task];
    schedule.tasks.push_back({task, ranks_of(placed.ranks), placed.start, placed.finish});
  }
  put_in_order(schedule);
  return schedule;
}

void FreeRanks::clear() {
  segments_.assign(1, {{0, ranks_}, 0});
  count_ranks();
}

double FreeRanks::when_free(int count) const {
  for (const Count& known : counts_)
    if (known.ranks >= count) return known.free;
  return counts_.back().free;
}

double FreeRanks::when_free(const RankSet& set) const {
  double free = 0;
  auto segment = segments_.begin();
  for (const RankRange& range : set) {
    while (segment->ranks.end <= range.begin) ++segment;
    for (auto other = segment; other != segments_.end() && other->ranks.begin < range.end; ++other)
      free = std::max(free, other->free);
  }
  return free;
}

/// Returns the longest ranges of ranks that are free at the time `start`.
std::vector<RankRange> FreeRanks::free_runs(double start) const {
  std::vector<RankRange> runs;
  for (const Segment& segment : segments_) {
    if (segment.free > start) continue;
    if (runs.empty() || runs.back().end != segment.ranks.begin)
      runs.push_back(segment.ranks);
    else
      runs.back().end = segment.ranks.end;
  }
  return runs;
}

/// Returns the sum, over the ranks of a window, of the times when they become free.
double FreeRanks::busy_before(const RankRange& window) const {
  const auto ends_before = [](const Segment& segment, int rank) { return segment.ranks.end <= rank; };
  auto segment = std::lower_bound(segments_.begin(), segments_.end(), window.begin, ends_before);
  double sum = 0;
  for (; segment != segments_.end() && segment->ranks.begin < window.end; ++segment) {
    const int common =
        std::min(window.end, segment->ranks.end) - std::max(window.begin, segment->ranks.begin);
    sum += segment->free * common;
  }
  return sum;
}

RankSet FreeRanks::choose(int count, double start) const {
  RankRange best;
  double most_busy = -1;
  const auto consider = [&](const RankRange& window) {
    const double busy = busy_before(window);
    if (busy <= most_busy) return;
    most_busy = busy;
    best = window;
  };
  // The sum is linear while the ends of the window move inside of segments, so the best window begins or ends
  // where a segment does.
  for (const RankRange& run : free_runs(start)) {
    if (run.size() < count) continue;
    for (const Segment& segment : segments_) {
      if (segment.ranks.begin >= run.begin && segment.ranks.begin + count <= run.end)
        consider({segment.ranks.begin, segment.ranks.begin + count});
      if (segment.ranks.end - count >= run.begin && segment.ranks.end <= run.end)
        consider({segment.ranks.end - count, segment.ranks.end});
    }
  }
  if (most_busy < 0) return choose_scattered(count, start);
  return {best};
}

/// Returns `count` of the ranks that are free at the time `start`: those that became free last.
RankSet FreeRanks::choose_scattered(int count, double start) const {
  std::vector<Segment> free;
  for (const Segment& segment : segments_)
    if (segment.free <= start) free.push_back(segment);
  std::ranges::stable_sort(free, std::ranges::greater(), &Segment::free);
  RankSet chosen;
  for (const Segment& segment : free) {
    const int taken = std::min(count, segment.ranks.size());
    if (taken == 0) break;
    chosen.push_back({segment.ranks.begin, segment.ranks.begin + taken});
    count -= taken;
  }
  std::ranges::sort(chosen, {}, &RankRange::begin);
  RankSet joined;
  for (const RankRange& range : chosen) {
    if (!joined.empty() && joined.back().end == range.begin)
      joined.back().end = range.end;
    else
      joined.push_back(range);
  }
  return joined;
}

void FreeRanks::occupy(const RankSet& set, double finish) {
  before_.swap(segments_);
  segments_.clear();
  const auto add = [this](int begin, int end, double free) {
    if (begin >= end) return;
    if (!segments_.empty() && segments_.back().free == free)
      segments_.back().ranks.end = end;
    else
      segments_.push_back({{begin, end}, free});
  };
  auto range = set.begin();
  for (const Segment& segment : before_) {
    int begin = segment.ranks.begin;
    while (begin < segment.ranks.end) {
      while (range != set.end() && range->end <= begin) ++range;
      const bool is_in = range != set.end() && range->begin <= begin;
      const int change = range == set.end() ? segment.ranks.end : is_in ? range->end : range->begin;
      const int end = std::min(segment.ranks.end, change);
      add(begin, end, is_in ? finish : segment.free);
      begin = end;
    }
  }
  count_ranks();
}

void FreeRanks::count_ranks() {
  counts_.clear();
  for (const Segment& segment : segments_) counts_.push_back({segment.free, segment.ranks.size()});
  std::ranges::sort(counts_, {}, &Count::free);
  int sum = 0;
  for (Count& known : counts_) known.ranks = sum += known.ranks;
}

}  // namespace tessera::group::detail
