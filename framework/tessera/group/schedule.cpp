// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
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

namespace {

constexpr int schedule_format = 1;
/// The most ranks of a machine in a file: a number that no machine has, and that fits into memory.
constexpr std::int64_t most_machine_ranks = 1 << 24;

[[noreturn]] void refuse_text(const std::string& problem) {
  throw InputError(fmt::format("schedule of groups: {}: save the schedule again, or mend it", problem));
}

const Json& member(const Json& object, std::string_view name, const std::string& where) {
  if (object.get_if<Json::Object>() == nullptr) refuse_text(fmt::format("{} is not an object", where));
  const Json* const found = object.find(name);
  if (found == nullptr) refuse_text(fmt::format("{} has no '{}'", where, name));
  return *found;
}

double number(const Json& object, std::string_view name, const std::string& where) {
  const Json& json = member(object, name, where);
  if (const auto* real = json.get_if<double>()) return *real;
  if (const auto* whole = json.get_if<std::int64_t>()) return static_cast<double>(*whole);
  refuse_text(fmt::format("'{}' of {} expects a number", name, where));
}

/// Returns a number that an object may lack, which is 0 then.
double optional_number(const Json& object, std::string_view name, const std::string& where) {
  return object.find(name) == nullptr ? 0 : number(object, name, where);
}

std::int64_t whole_number(const Json& json, const std::string& where, std::int64_t least, std::int64_t most) {
  const auto* const found = json.get_if<std::int64_t>();
  if (found == nullptr || *found < least || *found > most)
    refuse_text(fmt::format("{} expects an integer from {} to {}", where, least, most));
  return *found;
}

std::string text_of(const Json& object, std::string_view name, const std::string& where) {
  const auto* const found = member(object, name, where).get_if<std::string>();
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  if (found == nullptr || std::ranges::any_of(*found, is_control))
    refuse_text(fmt::format("'{}' of {} expects a text without control characters", name, where));
  return *found;
}

const Json::List& list_of(const Json& object, std::string_view name, const std::string& where) {
  const auto* const list = member(object, name, where).get_if<Json::List>();
  if (list == nullptr) refuse_text(fmt::format("'{}' of {} expects a list", name, where));
  return *list;
}

std::vector<int> ranks_from(const Json& task, const std::string& where, int ranks) {
  std::vector<RankRange> ranges;
  std::int64_t count = 0;
  for (const Json& range : list_of(task, "ranks", where)) {
    const auto* const ends = range.get_if<Json::List>();
    const std::string place = fmt::format("'ranks' of {}", where);
    if (ends == nullptr || ends->size() != 2)
      refuse_text(fmt::format("{} expects ranges [begin, end]", place));
    const auto *const begin = (*ends)[0].get_if<std::int64_t>(), *const end =
                                                                     (*ends)[1].get_if<std::int64_t>();
    if (begin == nullptr || end == nullptr)
      refuse_text(fmt::format("{} expects ranges [begin, end] of integers", place));
    if (*begin < 0 || *begin > *end || *end > ranks)
      refuse_text(fmt::format("{} has [{}, {}], but ranges lie within [0, {}], and begin before they end",
                              place, *begin, *end, ranks));
    ranges.push_back({static_cast<int>(*begin), static_cast<int>(*end)});
    count += *end - *begin;
    // So many ranks are not there without one of them twice.
    if (count > ranks) refuse_text(fmt::format("{} has a rank twice", place));
  }
  return ranks_of(ranges);
}

int id_of(const TaskGraph& graph, const std::string& name) {
  std::vector<std::string> names;
  for (int id = 0; id < graph.size(); ++id) {
    names.push_back(graph.tasks()[static_cast<std::size_t>(id)].name);
    if (names.back() == name) return id;
  }
  const std::string meant = suggestion(name, names);
  if (meant.empty())
    refuse_text(fmt::format("the graph has no task '{}', but {}", name, fmt::join(names, ", ")));
  throw InputError(fmt::format("schedule of groups: the graph has no task '{}'{}", name, meant));
}

Json parsed(std::string_view text) {
  try {
    return parse_json(text);
  } catch (const JsonError& error) {
    refuse_text(fmt::format("the text is no JSON at byte {}", error.byte));
  }
}

}  // namespace

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

GroupSchedule schedule_from_json(const TaskGraph& graph, std::string_view text) {
  const Json json = parsed(text);
  const std::string whole = "the schedule";
  if (const std::int64_t format = whole_number(member(json, "format", whole), "'format'", 0, 1 << 30);
      format != schedule_format)
    refuse_text(
        fmt::format("it has the format {}, and this version reads format {}", format, schedule_format));
  GroupSchedule schedule;
  schedule.strategy = text_of(json, "strategy", whole);
  schedule.ranks =
      static_cast<int>(whole_number(member(json, "ranks", whole), "'ranks'", 1, most_machine_ranks));
  schedule.lower_bound = optional_number(json, "lower_bound", whole);
  schedule.period = optional_number(json, "period", whole);
  for (const Json& task : list_of(json, "tasks", whole)) {
    const std::string name = text_of(task, "task", fmt::format("entry {} of 'tasks'", schedule.tasks.size()));
    const std::string where = fmt::format("task '{}'", name);
    ScheduledTask& placed = schedule.tasks.emplace_back();
    placed.task = id_of(graph, name);
    placed.ranks = ranks_from(task, where, schedule.ranks);
    placed.start = number(task, "start", where);
    placed.finish = optional_number(task, "finish", where);
  }
  put_in_order(schedule);
  return schedule;
}

}  // namespace tessera::group
