// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/cost/stage_costs.hpp"

#include <fmt/format.h>

#include <optional>

#include "tessera/domain/error.hpp"
#include "tessera/domain/json.hpp"

namespace tessera::cost {
namespace {

constexpr std::string_view compute = "compute ";

[[noreturn]] void refuse(const std::string& why) {
  throw InputError(why + ": write one with --report FILE.json in a run of this program");
}

std::optional<double> number_in(const Json* value) {
  if (value == nullptr) return std::nullopt;
  if (const auto* number = value->get_if<double>()) return *number;
  if (const auto* number = value->get_if<std::int64_t>()) return static_cast<double>(*number);
  return std::nullopt;
}

/// Returns a member of a part of the report, which must be a number of at least `least`.
double number_of(const Json& part, const std::string& part_name, std::string_view member, double least) {
  const std::optional<double> number = number_in(part.find(member));
  if (!number || !(*number >= least))
    refuse(fmt::format("'{}' of '{}' is no number of at least {:g}, so this is no report of a run", member,
                       part_name, least));
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
    refuse("has no 'run' and 'steps', so it is no report of a run");
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
    if (stage.points > 0 && stage.seconds > 0)
      costs.stages[name].seconds_per_point = stage.seconds / stage.points;
  if (costs.stages.empty()) refuse("no step has computed points");
  return costs;
}

}  // namespace tessera::cost
