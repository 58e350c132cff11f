// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/run_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "tessera/domain/element_type.hpp"
#include "tessera/graph/transfer.hpp"
#include "tessera/pipeline/explain/explain.hpp"
#include "tessera/pipeline/plan/plan_nodes.hpp"
#include "tessera/pipeline/plan/plan_work.hpp"
#include "tessera/pipeline/planner/bands.hpp"

namespace tessera::app {
namespace {

/// A kind of work that takes time in a run; `rest` is the time outside phases and steps.
enum class Use { preparing, reading, computing, exchanging, writing, finishing, rest };
constexpr std::array use_names = {"preparing", "reading",   "computing", "exchanging",
                                  "writing",   "finishing", "rest"};
constexpr std::size_t use_count = use_names.size();

Use use_of(const PlanNode& node) {
  if (std::holds_alternative<plan::Read>(node.step)) return Use::reading;
  if (std::holds_alternative<plan::Write>(node.step)) return Use::writing;
  if (std::holds_alternative<plan::Exchange>(node.step) ||
      std::holds_alternative<plan::FinishExchange>(node.step) ||
      std::holds_alternative<plan::Reduce>(node.step))
    return Use::exchanging;
  return Use::computing;
}

/// The cost of all calls of one step or phase on one rank.
struct StepCost {
  std::int64_t calls = 0;
  double seconds = 0;
  std::int64_t points = 0, bytes = 0;
};
/// The points of one stage that one rank computes.
struct StageCost {
  std::int64_t points = 0, redundant_points = 0;
};
/// The cost of the whole run on one rank. It has the seconds of each Use, and those of the whole run.
struct RankCost {
  std::array<double, use_count> uses = {};
  double wall = 0;
  std::int64_t messages = 0, message_bytes = 0, peak_bytes = 0;

  double& at(Use use) { return uses[static_cast<std::size_t>(use)]; }
  double at(Use use) const { return uses[static_cast<std::size_t>(use)]; }
  /// The seconds of all steps.
  double steps() const {
    return at(Use::reading) + at(Use::computing) + at(Use::exchanging) + at(Use::writing);
  }
};
/// The costs of the same things, by ranks.
template <class Cost>
using ByRank = std::vector<std::vector<Cost>>;

std::vector<StepCost> costs_of(const StepNames& names, const Recorder& recorder) {
  std::vector<StepCost> costs;
  for (const auto& [number, name] : names) {
    const Recorder::Total total = recorder.total(number);
    costs.push_back({total.calls, total.seconds});
  }
  return costs;
}

std::vector<StageCost> stage_costs(const Plan& plan) {
  std::vector<StageCost> costs;
  for (const ArrayRegions& stage : plan.stages)
    costs.push_back({stage.computed_points, stage.redundant_points});
  return costs;
}

RankCost rank_cost(const Algorithm& pipeline, const Plan& plan, const Recorder& recorder) {
  RankCost cost{.wall = recorder.wall_seconds(), .peak_bytes = peak_bytes_with_next_band(plan)};
  for (const Phase phase : all_phases)
    cost.at(phase == Phase::finish ? Use::finishing : Use::preparing) += recorder.total(phase).seconds;
  walk(plan.root, [&](const PlanNode& node) {
    const Recorder::Total total = recorder.total(node.id);
    cost.at(use_of(node)) += total.seconds;
    if (const auto* exchange = std::get_if<plan::Exchange>(&node.step)) {
      const Traffic traffic = sent(pipeline, *exchange);
      cost.messages += traffic.messages * total.calls;
      cost.message_bytes += traffic.bytes * total.calls;
    }
  });
  cost.at(Use::rest) = std::max(0.0, cost.wall - std::accumulate(cost.uses.begin(), cost.uses.end(), 0.0));
  return cost;
}

/// Returns the sum, over all ranks, of `value` of the entry `i` of the list of a rank. `value` is a member or
/// a function of a cost.
template <class Cost, class Value>
auto sum(const ByRank<Cost>& by_rank, std::size_t i, const Value& value) {
  std::remove_cvref_t<std::invoke_result_t<Value, const Cost&>> all{};
  for (const auto& list : by_rank) all += std::invoke(value, list[i]);
  return all;
}
/// Returns the largest of the values that `sum` would add.
template <class Cost, class Value>
auto most(const ByRank<Cost>& by_rank, std::size_t i, const Value& value) {
  std::remove_cvref_t<std::invoke_result_t<Value, const Cost&>> largest{};
  for (const auto& list : by_rank) largest = std::max(largest, std::invoke(value, list[i]));
  return largest;
}

/// Adds the table `time`, which divides the time of the run until the report is made. Also adds the time of
/// the run, and the share of it that is not in the rest, to the section `totals`.
void add_times(Report& report, const ByRank<RankCost>& ranks) {
  const double all = sum(ranks, 0, &RankCost::wall);
  double seconds = 0;
  for (std::size_t i = 0; i < use_count; ++i) {
    const auto of_use = [i](const RankCost& cost) { return cost.uses[i]; };
    seconds = sum(ranks, 0, of_use);
    report.add_row("time", {{"spent", std::string(use_names[i])},
                            {"slowest_seconds", most(ranks, 0, of_use)},
                            {"mean_seconds", seconds / static_cast<double>(ranks.size())},
                            {"share", seconds / all}});
  }
  // `seconds` now has the time of the last use, which is the rest.
  report.add("totals",
             {{"wall_seconds", most(ranks, 0, &RankCost::wall)}, {"explained_share", 1 - seconds / all}});
}

/// Adds the table `steps` with the phases and steps `names`. The costs of each rank are in the order of
/// `names`. With `has_work`, rows have the amount of work. Without it, steps that no rank has begun have no
/// row.
void add_step_table(Report& report, const StepNames& names, const ByRank<StepCost>& costs, bool has_work) {
  std::size_t i = 0;
  for (const auto& [number, name] : names) {
    const std::size_t place = i++;
    const std::int64_t calls = most(costs, place, &StepCost::calls);
    if (!has_work && number >= 0 && calls == 0) continue;
    const double slowest = most(costs, place, &StepCost::seconds);
    const double mean = sum(costs, place, &StepCost::seconds) / static_cast<double>(costs.size());
    Report::Row row{{"node", number},
                    {"step", name.name},
                    {"calls", calls},
                    {"slowest_seconds", slowest},
                    {"mean_seconds", mean}};
    if (has_work) {
      const std::int64_t bytes = sum(costs, place, &StepCost::bytes);
      const double rate = slowest > 0 ? static_cast<double>(bytes) * 1e-9 / slowest : 0.0;
      row.insert(row.end(), {{"points", sum(costs, place, &StepCost::points)},
                             {"bytes", bytes},
                             {"gigabytes_per_second", rate}});
    }
    report.add_row("steps", std::move(row));
  }
  report.sort_text("steps", "slowest_seconds");
}

void add_stage_table(Report& report, const Algorithm& pipeline, const Plan& plan,
                     const ByRank<StageCost>& by_rank) {
  for (ArrayId id : pipeline.ids()) {
    if (pipeline[id].is_input() || pipeline[id].is_spare()) continue;
    const auto i = static_cast<std::size_t>(id);
    report.add_row("stages", {{"stage", pipeline[id].name},
                              {"type", std::string(name_of(pipeline[id].type))},
                              {"computed", std::string(name_of(plan.stages[id].placement))},
                              {"points", sum(by_rank, i, &StageCost::points)},
                              {"redundant_points", sum(by_rank, i, &StageCost::redundant_points)}});
  }
}

void add_totals(Report& report, const ByRank<RankCost>& ranks, const ByRank<StageCost>& stages) {
  std::int64_t redundant = 0;
  for (std::size_t i = 0; i < stages.front().size(); ++i)
    redundant += sum(stages, i, &StageCost::redundant_points);
  const auto mpi_share = [](const RankCost& cost) {
    return cost.steps() > 0 ? cost.at(Use::exchanging) / cost.steps() : 0.0;
  };
  report.add("totals", {{"slowest_seconds", most(ranks, 0, &RankCost::steps)},
                        {"mpi_share_most", most(ranks, 0, mpi_share)},
                        {"mpi_share_mean", sum(ranks, 0, mpi_share) / static_cast<double>(ranks.size())},
                        {"messages", sum(ranks, 0, &RankCost::messages)},
                        {"message_bytes", sum(ranks, 0, &RankCost::message_bytes)},
                        {"redundant_points", redundant},
                        {"planned_peak_bytes_most", most(ranks, 0, &RankCost::peak_bytes)},
                        {"planned_peak_bytes_all", sum(ranks, 0, &RankCost::peak_bytes)}});
}

}  // namespace

void add_steps(Report& report, MPI_Comm communicator, const Algorithm& pipeline, const Plan& plan,
               const Recorder& recorder) {
  const StepNames names = with_phases(step_names(pipeline, plan));
  std::vector<StepCost> mine = costs_of(names, recorder);
  // The phases come first, as their numbers are negative.
  auto cost = mine.begin() + std::ssize(all_phases);
  walk(plan.root, [&](const PlanNode& node) {
    if (!is_step(node)) return;
    const StepWork work = work_of(pipeline, node);
    cost->points = work.points * cost->calls;
    cost->bytes = work.bytes * cost->calls;
    ++cost;
  });
  const auto steps = gather(communicator, mine);
  const auto stages = gather(communicator, stage_costs(plan));
  const auto ranks = gather(communicator, std::vector{rank_cost(pipeline, plan, recorder)});
  if (ranks.empty()) return;
  add_times(report, ranks);
  add_step_table(report, names, steps, true);
  add_stage_table(report, pipeline, plan, stages);
  add_totals(report, ranks, stages);
}

void add_parts(Report& report, MPI_Comm communicator, const StepNames& parts, const Recorder& recorder) {
  const StepNames names = with_phases(parts);
  const auto costs = gather(communicator, costs_of(names, recorder));
  const auto ranks = gather(communicator, std::vector{RankCost{.wall = recorder.wall_seconds()}});
  if (ranks.empty()) return;
  add_step_table(report, names, costs, false);
  report.add("totals", {{"wall_seconds", most(ranks, 0, &RankCost::wall)}});
}

namespace {

/// Returns a number as text. Integers below 2^53 are shown with all digits, and other numbers with six
/// significant digits.
std::string shown(double value) {
  constexpr double exact = 1LL << 53;
  return value == std::floor(value) && std::abs(value) < exact ? fmt::format("{:.0f}", value)
                                                               : fmt::format("{:.6g}", value);
}

}  // namespace

ReportedNumbers::ReportedNumbers(const Algorithm& pipeline, const std::vector<std::string>& names) {
  for (const ArrayDeclaration& stage : pipeline.arrays()) {
    if (std::ranges::find(names, stage.name) == names.end()) continue;
    if (!stage.is_output || stage.domain.size() != 1)
      throw InternalError(fmt::format("'{}' is no output of one element", stage.name));
    numbers_.emplace_back(stage.name);
  }
}

void ReportedNumbers::listen(Bindings& bindings) {
  for (Number& number : numbers_) {
    const auto [place, is_new] = bindings.sinks.emplace(number.name, &number);
    if (!is_new) number.next = std::exchange(place->second, &number);
  }
}

ExitStatus ReportedNumbers::judged(const Session& session, const PipelineApplication& application,
                                   const deck::Deck& deck) const {
  if (!application.verdict) return ExitStatus::done;
  std::string line;
  if (session.rank() == 0) {
    std::map<std::string, double> values;
    for (const Number& number : numbers_) values.emplace(number.name, number.value);
    line = application.verdict(values, deck);
    if (!line.empty()) fmt::print(stderr, "{}: {}\n", application.program, line);
  }
  return graph::broadcast(session.communicator(), line).empty() ? ExitStatus::done
                                                                : ExitStatus::beyond_tolerance;
}

std::string ReportedNumbers::text() const {
  std::string text;
  for (const Number& number : numbers_)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", number.name, shown(number.value));
  return text;
}

void ReportedNumbers::add(Report& report) const {
  for (const Number& number : numbers_) report.add("numbers", {{number.name, number.value}});
}

void ReportedNumbers::Number::write(const HostBlock& block) {
  if (next != nullptr) next->write(block);
  if (block.box.empty()) return;
  value = number_at(block.type, block.data);
}

}  // namespace tessera::app
