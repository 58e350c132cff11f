// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "tessera/domain/error.hpp"
#include "tessera/domain/json.hpp"
#include "tessera/domain/text.hpp"

namespace tessera::group {

void put_in_order(GroupSchedule& schedule) {
  std::ranges::sort(schedule.tasks, [](const ScheduledTask& a, const ScheduledTask& b) {
    return std::tie(a.start, a.task) < std::tie(b.start, b.task);
  });
  schedule.makespan = 0;
  for (const ScheduledTask& task : schedule.tasks)
    schedule.makespan = std::max(schedule.makespan, task.finish);
}

std::vector<RankRange> ranges_of(std::span<const int> ranks) {
  std::vector<RankRange> ranges;
  for (const int rank : ranks) {
    if (ranges.empty() || ranges.back().end != rank) ranges.push_back({rank, rank});
    ++ranges.back().end;
  }
  return ranges;
}

std::vector<int> ranks_of(std::span<const RankRange> ranges) {
  std::vector<int> ranks;
  for (const RankRange& range : ranges)
    for (int rank = range.begin; rank < range.end; ++rank) ranks.push_back(rank);
  return ranks;
}

std::string ranges_text(std::span<const int> ranks) {
  std::string text;
  for (const RankRange& range : ranges_of(ranks)) {
    text += text.empty() ? "" : ", ";
    text +=
        range.size() == 1 ? fmt::format("{}", range.begin) : fmt::format("{}-{}", range.begin, range.end - 1);
  }
  return text;
}

std::string to_json(const TaskGraph& graph, const GroupSchedule& schedule) {
  Json json;
  json["format"] = schedule_format;
  json["strategy"] = schedule.strategy;
  json["ranks"] = schedule.ranks;
  json["makespan"] = schedule.makespan;
  json["lower_bound"] = schedule.lower_bound;
  json["period"] = schedule.period;
  Json::List tasks;
  for (const ScheduledTask& placed : schedule.tasks) {
    Json::List ranges;
    for (const RankRange& range : ranges_of(placed.ranks))
      ranges.emplace_back(Json::List{range.begin, range.end});
    Json task;
    task["task"] = graph.tasks()[placed.task].name;
    task["ranks"] = std::move(ranges);
    task["start"] = placed.start;
    task["finish"] = placed.finish;
    tasks.push_back(std::move(task));
  }
  json["tasks"] = std::move(tasks);
  return to_text(json, 2) + "\n";
}

namespace {

constexpr std::string_view schedule_advice = "compute the schedule again, or mend it";

/// Checks a schedule. All functions throw InputError for the first fault.
class Checker {
 public:
  Checker(const TaskGraph& graph, const GroupSchedule& schedule, const Communication& communication = {})
      : graph_(graph), communication_(communication), schedule_(schedule), of_task_(graph.size(), nullptr) {
    if (schedule.ranks < 1) refuse(fmt::format("the machine has {}", counted(schedule.ranks, "rank")));
    if (!(std::isfinite(schedule.period) && schedule.period >= 0))
      refuse(fmt::format("the period is {} seconds", schedule.period));
    for (const ScheduledTask& task : schedule.tasks) last_ = std::max(last_, task.finish);
    tolerance_ = 1e-9 * last_;
    for (const ScheduledTask& task : schedule.tasks) add(task);
  }

  void check_groups() const {
    for (const TaskId task : graph_.tasks().ids()) {
      if (of_task_[task] == nullptr) refuse(fmt::format("task '{}' is missing", name(task)));
      check_ranks(entry(task));
    }
  }

  void check_order() const {
    for (const ScheduledTask& task : schedule_.tasks)
      if (!(std::isfinite(task.start) && task.start >= 0))
        refuse(
            fmt::format("task '{}' starts at {}, but no task starts before 0", name(task.task), task.start));
    for (const Edge& edge : graph_.edges())
      if (!(entry(edge.from).start <= entry(edge.to).start))
        refuse(fmt::format("task '{}' starts at {}, before task '{}', whose array '{}' it reads, at {}",
                           name(edge.to), entry(edge.to).start, name(edge.from), edge.array,
                           entry(edge.from).start));
  }

  void check_times() const {
    if (!(std::abs(schedule_.makespan - last_) <= tolerance_))
      refuse(fmt::format("the makespan is {}, but the last task ends at {}", schedule_.makespan, last_));
    for (const TaskId task : graph_.tasks().ids()) check_times(entry(task));
    for (const Edge& edge : graph_.edges()) check_edge(edge);
    check_overlaps();
  }

 private:
  [[noreturn]] static void refuse(const std::string& problem) {
    throw InputError(fmt::format("schedule of groups: {}: {}", problem, schedule_advice));
  }
  const std::string& name(TaskId task) const { return graph_.tasks()[task].name; }

  const ScheduledTask& entry(TaskId task) const { return *of_task_[task]; }

  void add(const ScheduledTask& placed) {
    if (!graph_.tasks().contains(placed.task))
      refuse(fmt::format("there is no task with the id {}", to_int(placed.task)));
    const ScheduledTask*& place = of_task_[placed.task];
    if (place != nullptr) refuse(fmt::format("task '{}' is there twice", name(placed.task)));
    place = &placed;
  }

  void check_ranks(const ScheduledTask& placed) const {
    const auto count = static_cast<std::int64_t>(placed.ranks.size());
    const int most = graph_.most_ranks(placed.task, schedule_.ranks);
    if (count < 1 || count > most)
      refuse(fmt::format("task '{}' has {}, and may have 1 to {}", name(placed.task), counted(count, "rank"),
                         most));
    std::vector<int> sorted = placed.ranks;
    std::ranges::sort(sorted);
    if (sorted.front() < 0 || sorted.back() >= schedule_.ranks)
      refuse(fmt::format("task '{}' has rank {}, and the machine has ranks 0 to {}", name(placed.task),
                         sorted.front() < 0 ? sorted.front() : sorted.back(), schedule_.ranks - 1));
    const auto twice = std::ranges::adjacent_find(sorted);
    if (twice != sorted.end()) refuse(fmt::format("task '{}' has rank {} twice", name(placed.task), *twice));
  }

  void check_times(const ScheduledTask& placed) const {
    if (!(std::isfinite(placed.start) && std::isfinite(placed.finish) && placed.start >= 0))
      refuse(fmt::format("task '{}' runs from {} to {} seconds", name(placed.task), placed.start,
                         placed.finish));
    const double seconds = graph_.seconds(placed.task, static_cast<double>(placed.ranks.size()));
    const double given = placed.finish - placed.start;
    if (given < seconds - tolerance_)
      refuse(fmt::format("task '{}' has {} seconds, and takes {} on {}", name(placed.task), given, seconds,
                         counted(static_cast<std::int64_t>(placed.ranks.size()), "rank")));
  }

  void check_edge(const Edge& edge) const {
    const ScheduledTask &from = entry(edge.from), &to = entry(edge.to);
    const double travels = travel_seconds(communication_, edge.bytes, from.ranks, to.ranks);
    if (to.start < from.finish + travels - tolerance_)
      refuse(fmt::format("task '{}' starts at {}, but array '{}' of task '{}' is there at {}", name(edge.to),
                         to.start, edge.array, name(edge.from), from.finish + travels));
  }

  /// A task that occupies a rank. In a stream, times count from the beginning of a period.
  struct Occupied {
    double start = 0;
    double finish = 0;
    TaskId task{};
  };

  void check_overlaps() const {
    const double period = schedule_.period;
    IdVector<int, std::vector<Occupied>> of_rank(schedule_.ranks);
    for (const ScheduledTask& placed : schedule_.tasks) {
      const double length = placed.finish - placed.start;
      if (length <= tolerance_) continue;
      if (period > 0 && length > period + tolerance_)
        refuse(fmt::format("task '{}' takes {} seconds, which is more than the period of {}",
                           name(placed.task), length, period));
      const double start = period > 0 ? std::fmod(placed.start, period) : placed.start;
      for (const int rank : placed.ranks) of_rank[rank].push_back({start, start + length, placed.task});
    }
    for (const int rank : of_rank.ids()) check_tasks_of_rank(rank, of_rank[rank]);
  }

  void check_tasks_of_rank(int rank, std::vector<Occupied>& tasks) const {
    std::ranges::sort(tasks, {}, &Occupied::start);
    for (std::size_t i = 1; i < tasks.size(); ++i)
      if (tasks[i].start < tasks[i - 1].finish - tolerance_) refuse_overlap(rank, tasks[i - 1], tasks[i]);
    // The last task of a period must end before the first task of the next period begins.
    if (schedule_.period > 0 && tasks.size() > 1 &&
        tasks.front().start + schedule_.period < tasks.back().finish - tolerance_)
      refuse_overlap(rank, tasks.back(), tasks.front());
  }

  [[noreturn]] void refuse_overlap(int rank, const Occupied& first, const Occupied& second) const {
    refuse(fmt::format("rank {} has the tasks '{}' and '{}' at the same time", rank, name(first.task),
                       name(second.task)));
  }

  const TaskGraph& graph_;
  const Communication communication_;
  const GroupSchedule& schedule_;
  /// The entry of the schedule for each task, or null.
  IdVector<TaskId, const ScheduledTask*> of_task_;
  /// The end of the last task.
  double last_ = 0;
  double tolerance_ = 0;
};

}  // namespace

void check_schedule(const TaskGraph& graph, const Communication& communication,
                    const GroupSchedule& schedule) {
  const Checker checker(graph, schedule, communication);
  checker.check_groups();
  checker.check_times();
}

void check_groups_and_order(const TaskGraph& graph, const GroupSchedule& schedule) {
  const Checker checker(graph, schedule);
  checker.check_groups();
  checker.check_order();
}

}  // namespace tessera::group
