// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/cost/work_costs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "tessera/cost/calibration.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/domain/json.hpp"
#include "tessera/domain/text.hpp"

namespace tessera::cost {
namespace {

constexpr std::string_view compute = "compute ";

[[noreturn]] void refuse(const std::string& why) {
  throw InputError(why + ": write a report with --report FILE.json in a run of this program");
}

std::optional<double> number_in(const Json* value) {
  if (value == nullptr) return std::nullopt;
  if (const auto* number = value->get_if<double>()) return *number;
  if (const auto* number = value->get_if<std::int64_t>()) return static_cast<double>(*number);
  return std::nullopt;
}

/// Returns a member of a part of the report. The member must be a number of at least `least`.
double number_of(const Json& part, const std::string& part_name, std::string_view member, double least) {
  const std::optional<double> number = number_in(part.find(member));
  if (!number || !(*number >= least))
    refuse(fmt::format("'{}' of '{}' is not a number of at least {:g}, so this is not the report of a run",
                       member, part_name, least));
  return *number;
}

Json parse(std::string_view text) {
  try {
    return parse_json(text);
  } catch (const JsonError& error) {
    refuse(fmt::format("byte {} is not JSON", error.byte));
  }
}

/// The seconds of all threads, and the points.
struct Spent {
  double seconds = 0, points = 0;
};

}  // namespace

StageCosts stage_costs_from_report(std::string_view text) {
  const Json report = parse(text);
  const Json* const run = report.find("run");
  const Json* const steps = report.find("steps");
  if (run == nullptr || steps == nullptr || steps->get_if<Json::List>() == nullptr)
    refuse("has no 'run' and 'steps', so it is not the report of a run");
  const double threads = number_of(*run, "run", "ranks", 1) * number_of(*run, "run", "threads_per_rank", 1);
  std::map<std::string, Spent, std::less<>> spent;
  for (const Json& step : steps->get<Json::List>()) {
    const Json* const label = step.find("step");
    const auto* const name = label == nullptr ? nullptr : label->get_if<std::string>();
    if (name == nullptr || !name->starts_with(compute)) continue;
    Spent& stage = spent[name->substr(compute.size())];
    stage.seconds += number_of(step, *name, "mean_seconds", 0) * threads;
    stage.points += number_of(step, *name, "points", 0);
  }
  StageCosts costs;
  for (const auto& [name, stage] : spent)
    if (stage.points > 0 && stage.seconds > 0) costs[name] = stage.seconds / stage.points;
  if (costs.empty()) refuse("no step has computed points");
  return costs;
}

namespace {

void check_table(const std::vector<TimedRanks>& entries) {
  if (!entries.empty() && entries.front().ranks < 1)
    throw InputError(
        fmt::format("cost of a task: {} seconds are given for {} ranks: give numbers of ranks from 1",
                    entries.front().seconds, entries.front().ranks));
  if (entries.empty() || entries.front().ranks != 1)
    throw InputError("cost of a task: the table has no entry for 1 rank: add the seconds on one rank");
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto& [ranks, seconds] = entries[i];
    if (!(std::isfinite(seconds) && seconds >= 0))
      throw InputError(fmt::format("cost of a task: {} seconds on {}: give a finite number from 0", seconds,
                                   counted(ranks, "rank")));
    if (i == 0) continue;
    const TimedRanks& fewer = entries[i - 1];
    if (fewer.ranks == ranks)
      throw InputError(fmt::format("cost of a task: the table has {} twice: leave one of them out",
                                   counted(ranks, "rank")));
    if (seconds > fewer.seconds)
      throw InputError(fmt::format(
          "cost of a task: {} seconds on {} ranks are more than {} on {}: end the table before the "
          "cost rises, and give the task a greatest number of ranks",
          seconds, ranks, fewer.seconds, counted(fewer.ranks, "rank")));
  }
}

/// Returns the line through the costs on two numbers of ranks, as a function of 1/p.
SharedCost line_through(const TimedRanks& fewer, const TimedRanks& more) {
  const double width = 1.0 / fewer.ranks - 1.0 / more.ranks;
  const double slope = (fewer.seconds - more.seconds) / width;
  return {more.seconds - slope / more.ranks, slope};
}

/// Returns the entries on the lower convex hull of a table in the plane of 1/p and seconds, by rising number
/// of ranks.
std::vector<TimedRanks> lower_hull(const std::vector<TimedRanks>& entries) {
  std::vector<TimedRanks> hull;
  for (const TimedRanks& entry : entries) {
    while (hull.size() >= 2) {
      const SharedCost chord = line_through(hull[hull.size() - 2], entry);
      // Points that lie on the chord, apart from rounding, would only add lines that are almost equal.
      if (hull.back().seconds < chord.seconds(hull.back().ranks) * (1 - 1e-12)) break;
      hull.pop_back();
    }
    hull.push_back(entry);
  }
  return hull;
}

/// Returns lines with coefficients of at least 0 that never lie above a table: the sides of its lower convex
/// hull, and the line of its least cost, which goes on beyond the table. A side whose speedup exceeds the
/// ranks would have a negative coefficient: the line of the least product of seconds and ranks replaces it.
std::vector<SharedCost> lines_below(const std::vector<TimedRanks>& entries) {
  std::vector<SharedCost> lines;
  const std::vector<TimedRanks> hull = lower_hull(entries);
  bool lacks_sides = false;
  for (std::size_t i = 1; i < hull.size(); ++i) {
    const SharedCost side = line_through(hull[i - 1], hull[i]);
    if (side.serial >= 0)
      lines.push_back(side);
    else
      lacks_sides = true;
  }
  if (lines.empty() || lines.back().parallel > 0) lines.push_back({entries.back().seconds, 0});
  double least_work = entries.front().seconds;
  for (const TimedRanks& entry : entries) least_work = std::min(least_work, entry.seconds * entry.ranks);
  if (lacks_sides && least_work > 0) lines.push_back({0, least_work});
  return lines;
}

}  // namespace

TaskCost TaskCost::amdahl(double seconds_on_one_rank, double serial_fraction) {
  if (!(std::isfinite(seconds_on_one_rank) && seconds_on_one_rank >= 0))
    throw InputError(fmt::format("cost of a task: {} seconds on one rank: give a finite number from 0",
                                 seconds_on_one_rank));
  if (!(serial_fraction >= 0 && serial_fraction <= 1))
    throw InputError(
        fmt::format("cost of a task: the serial fraction {} is not between 0 and 1: give the share of "
                    "the seconds on one rank that ranks cannot share",
                    serial_fraction));
  TaskCost cost;
  cost.lower_bounds_ = {{seconds_on_one_rank * serial_fraction, seconds_on_one_rank * (1 - serial_fraction)}};
  return cost;
}

TaskCost TaskCost::table(std::vector<TimedRanks> entries) {
  std::ranges::stable_sort(entries, {}, &TimedRanks::ranks);
  check_table(entries);
  TaskCost cost;
  cost.lower_bounds_ = lines_below(entries);
  cost.entries_ = std::move(entries);
  return cost;
}

double TaskCost::seconds(double ranks) const {
  if (entries_.empty()) return lower_bounds_.front().seconds(ranks);
  const auto after = std::ranges::upper_bound(
      entries_, ranks, {}, [](const TimedRanks& entry) { return static_cast<double>(entry.ranks); });
  if (after == entries_.begin()) return entries_.front().seconds;
  const TimedRanks& before = *std::prev(after);
  if (after == entries_.end() || before.ranks == ranks) return before.seconds;
  return line_through(before, *after).seconds(ranks);
}

double TaskCost::lower_bound(double ranks) const {
  double seconds = 0;
  for (const SharedCost& cost : lower_bounds_) seconds = std::max(seconds, cost.seconds(ranks));
  return seconds;
}

namespace {

bool are_of_same_ranks(std::span<const TimedRanks> measured) {
  return std::ranges::all_of(measured,
                             [&](const TimedRanks& entry) { return entry.ranks == measured.front().ranks; });
}

}  // namespace

FittedCost fit_task_cost(std::span<const TimedRanks> measured) {
  std::vector<MeasuredPoint> points;
  for (const auto& [ranks, seconds] : measured) {
    if (!(std::isfinite(seconds) && seconds > 0) || ranks < 1)
      throw InputError(
          fmt::format("fit of a cost: {} seconds on {}: give finite seconds above 0 on at least 1 rank",
                      seconds, counted(ranks, "rank")));
    points.push_back({1.0 / ranks, seconds});
  }
  if (are_of_same_ranks(measured))
    throw InputError("fit of a cost: fewer than two different numbers of ranks: measure on more of them");
  const LineFit line = fit_cost(points);
  const SharedCost fitted{line.intercept, line.slope};
  FittedCost fit{.cost = TaskCost::amdahl(line.at(1), line.intercept / line.at(1))};
  for (const auto& [ranks, seconds] : measured) {
    const double residual = (fitted.seconds(ranks) - seconds) / seconds;
    if (std::abs(residual) > std::abs(fit.largest_residual)) fit.largest_residual = residual;
  }
  return fit;
}

FittedCost measured_task_cost(std::span<const TimedRanks> measured) {
  if (measured.empty() || !are_of_same_ranks(measured)) return fit_task_cost(measured);
  const double seconds = std::ranges::min(measured, {}, &TimedRanks::seconds).seconds;
  const double shared = seconds * measured.front().ranks;
  return {.cost = TaskCost::amdahl(shared, 0)};
}

std::vector<int> doubling_counts(int most) {
  std::vector<int> counts;
  for (int count = 1; count < most; count *= 2) counts.push_back(count);
  counts.push_back(most);
  return counts;
}

}  // namespace tessera::cost
