// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "tessera/domain/json.hpp"

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
    task["task"] = graph.tasks()[static_cast<std::size_t>(placed.task)].name;
    task["ranks"] = std::move(ranges);
    task["start"] = placed.start;
    task["finish"] = placed.finish;
    tasks.push_back(std::move(task));
  }
  json["tasks"] = std::move(tasks);
  return to_text(json, 2) + "\n";
}

}  // namespace tessera::group
