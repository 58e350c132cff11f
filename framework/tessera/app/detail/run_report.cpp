// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/run_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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
/// The costs of all phases, and then those of all steps or parts, by ranks.
using StepCosts = std::vector<std::vector<StepCost>>;
/// The points of one stage that one rank computes.
struct StageCost {
  std::int64_t points = 0, redundant_points = 0;
};
/// The cost of the whole run on one rank.
struct RankCost {
  double seconds = 0, mpi_seconds = 0;
  std::int64_t messages = 0, message_bytes = 0, peak_bytes = 0;
};

std::vector<StepCost> phase_costs(const Recorder& recorder) {
  std::vector<StepCost> costs;
  for (const Phase phase : all_phases)
    costs.push_back({recorder.total(phase).calls, recorder.total(phase).seconds});
  return costs;
}

/// Returns the costs of phases and of all steps on this rank, the latter by node id.
std::vector<StepCost> step_costs(const Algorithm& pipeline, const Plan& plan, const StepRecorder& recorder) {
  std::vector<StepCost> costs = phase_costs(recorder);
  walk(plan.root, [&](const PlanNode& node) {
    const StepRecorder::Total& total = recorder.totals()[static_cast<std::size_t>(node.id)];
    const StepWork work = work_of(pipeline, node);
    costs.push_back({total.calls, total.seconds, work.points * total.calls, work.bytes * total.calls});
  });
  return costs;
}

std::vector<StageCost> stage_costs(const Plan& plan) {
  std::vector<StageCost> costs;
  for (const ArrayRegions& stage : plan.stages)
    costs.push_back({stage.computed_points, stage.redundant_points});
  return costs;
}

RankCost rank_cost(const Algorithm& pipeline, const Plan& plan, const StepRecorder& recorder) {
  RankCost cost;
  cost.peak_bytes = peak_bytes_with_next_band(plan);
  walk(plan.root, [&](const PlanNode& node) {
    const StepRecorder::Total& total = recorder.totals()[static_cast<std::size_t>(node.id)];
    cost.seconds += total.seconds;
    if (use_of(node) == Use::exchanging) cost.mpi_seconds += total.seconds;
    if (const auto* exchange = std::get_if<plan::Exchange>(&node.step)) {
      const Traffic traffic = sent(pipeline, *exchange);
      cost.messages += traffic.messages * total.calls;
      cost.message_bytes += traffic.bytes * total.calls;
    }
  });
  return cost;
}

/// Returns the sum, over all ranks, of a member of entry `i` of the rank's list.
template <class Cost, class Number>
Number sum(const std::vector<std::vector<Cost>>& by_rank, std::size_t i, Number Cost::*member) {
  Number all{};
  for (const auto& list : by_rank) all += list[i].*member;
  return all;
}
/// Returns the largest value, over all ranks, of a member of entry `i` of the rank's list.
template <class Cost, class Number>
Number most(const std::vector<std::vector<Cost>>& by_rank, std::size_t i, Number Cost::*member) {
  Number largest{};
  for (const auto& list : by_rank) largest = std::max(largest, list[i].*member);
  return largest;
}

/// Returns the seconds that this rank spent for each Use. The last entry is the time of the whole run.
std::vector<StepCost> own_times(const Plan& plan, const StepRecorder& recorder) {
  std::vector<StepCost> times(use_count + 1);
  const auto at = [&times](Use use) -> double& { return times[static_cast<std::size_t>(use)].seconds; };
  for (const Phase phase : all_phases)
    at(phase == Phase::finish ? Use::finishing : Use::preparing) += recorder.total(phase).seconds;
  walk(plan.root, [&](const PlanNode& node) {
    at(use_of(node)) += recorder.totals()[static_cast<std::size_t>(node.id)].seconds;
  });
  double explained = 0;
  for (const StepCost& time : times) explained += time.seconds;
  times.back().seconds = recorder.wall_seconds();
  at(Use::rest) = std::max(0.0, times.back().seconds - explained);
  return times;
}

/// Adds the table `time`, which divides the time of the run until the report is made. Also adds the time of
/// the run, and the share of it that is not in the rest, to the section `totals`.
void add_times(Report& report, MPI_Comm communicator, const Plan& plan, const StepRecorder& recorder) {
  const StepCosts ranks = gather(communicator, own_times(plan, recorder));
  if (ranks.empty()) return;
  const double all = sum(ranks, use_count, &StepCost::seconds);
  for (std::size_t i = 0; i < use_count; ++i) {
    const double seconds = sum(ranks, i, &StepCost::seconds);
    report.add_row("time", {{"spent", std::string(use_names[i])},
                            {"slowest_seconds", most(ranks, i, &StepCost::seconds)},
                            {"mean_seconds", seconds / static_cast<double>(ranks.size())},
                            {"share", seconds / all}});
  }
  const double rest = sum(ranks, static_cast<std::size_t>(Use::rest), &StepCost::seconds);
  report.add("totals", {{"wall_seconds", most(ranks, use_count, &StepCost::seconds)},
                        {"explained_share", 1 - rest / all}});
}

/// Returns a row of the table `steps` without the amount of work. It combines entry `i` of all ranks.
Report::Row time_row(int node, const std::string& name, const StepCosts& costs, std::size_t i) {
  return {{"node", node},
          {"step", name},
          {"calls", most(costs, i, &StepCost::calls)},
          {"slowest_seconds", most(costs, i, &StepCost::seconds)},
          {"mean_seconds", sum(costs, i, &StepCost::seconds) / static_cast<double>(costs.size())}};
}

void add_step_table(Report& report, const Algorithm& pipeline, const Plan& plan, const StepCosts& costs) {
  std::size_t i = 0;
  const auto add = [&](int node, const std::string& name) {
    const double slowest = most(costs, i, &StepCost::seconds);
    const std::int64_t bytes = sum(costs, i, &StepCost::bytes);
    Report::Row row = time_row(node, name, costs, i);
    row.emplace_back("points", sum(costs, i, &StepCost::points));
    row.emplace_back("bytes", bytes);
    row.emplace_back("gigabytes_per_second", slowest > 0 ? static_cast<double>(bytes) * 1e-9 / slowest : 0.0);
    report.add_row("steps", row);
  };
  for (const Phase phase : all_phases) {
    add(node_of(phase), name_of(phase));
    ++i;
  }
  walk(plan.root, [&](const PlanNode& node) {
    if (is_step(node)) add(node.id, step_label(pipeline, node));
    ++i;
  });
  report.sort_text("steps", "slowest_seconds");
}

void add_stage_table(Report& report, const Algorithm& pipeline, const Plan& plan,
                     const std::vector<std::vector<StageCost>>& by_rank) {
  for (ArrayId id : pipeline.ids()) {
    if (pipeline[id].is_input() || pipeline[id].is_spare) continue;
    const auto i = static_cast<std::size_t>(id);
    report.add_row("stages", {{"stage", pipeline[id].name},
                              {"type", std::string(name_of(pipeline[id].type))},
                              {"computed", std::string(name_of(plan.stages[id].placement))},
                              {"points", sum(by_rank, i, &StageCost::points)},
                              {"redundant_points", sum(by_rank, i, &StageCost::redundant_points)}});
  }
}

void add_totals(Report& report, const std::vector<std::vector<RankCost>>& by_rank,
                const std::vector<std::vector<StageCost>>& stages) {
  std::int64_t redundant = 0;
  for (std::size_t i = 0; i < stages.front().size(); ++i)
    redundant += sum(stages, i, &StageCost::redundant_points);
  double share_sum = 0, most_share = 0;
  for (const auto& rank : by_rank) {
    const RankCost& cost = rank.front();
    const double share = cost.seconds > 0 ? cost.mpi_seconds / cost.seconds : 0;
    share_sum += share;
    most_share = std::max(most_share, share);
  }
  report.add("totals", {{"slowest_seconds", most(by_rank, 0, &RankCost::seconds)},
                        {"mpi_share_most", most_share},
                        {"mpi_share_mean", share_sum / static_cast<double>(by_rank.size())},
                        {"messages", sum(by_rank, 0, &RankCost::messages)},
                        {"message_bytes", sum(by_rank, 0, &RankCost::message_bytes)},
                        {"redundant_points", redundant},
                        {"planned_peak_bytes_most", most(by_rank, 0, &RankCost::peak_bytes)},
                        {"planned_peak_bytes_all", sum(by_rank, 0, &RankCost::peak_bytes)}});
}

}  // namespace

void add_steps(Report& report, MPI_Comm communicator, const Algorithm& pipeline, const Plan& plan,
               const StepRecorder& recorder) {
  add_times(report, communicator, plan, recorder);
  const auto steps = gather(communicator, step_costs(pipeline, plan, recorder));
  const auto stages = gather(communicator, stage_costs(plan));
  const auto ranks = gather(communicator, std::vector{rank_cost(pipeline, plan, recorder)});
  if (ranks.empty()) return;
  add_step_table(report, pipeline, plan, steps);
  add_stage_table(report, pipeline, plan, stages);
  add_totals(report, ranks, stages);
}

void add_parts(Report& report, MPI_Comm communicator, const StepNames& parts, const Recorder& recorder) {
  std::vector<StepCost> mine = phase_costs(recorder);
  for (const auto& [number, name] : parts) {
    // Parts that have not begun cost nothing.
    const auto part = static_cast<std::size_t>(number);
    const bool has_begun = part < recorder.totals().size();
    const Recorder::Total total = has_begun ? recorder.totals()[part] : Recorder::Total();
    mine.push_back({total.calls, total.seconds});
  }
  mine.push_back({.seconds = recorder.wall_seconds()});
  const StepCosts costs = gather(communicator, mine);
  if (costs.empty()) return;
  std::size_t i = 0;
  for (const Phase phase : all_phases)
    report.add_row("steps", time_row(node_of(phase), name_of(phase), costs, i++));
  for (const auto& [number, name] : parts) {
    if (most(costs, i, &StepCost::calls) > 0) report.add_row("steps", time_row(number, name.name, costs, i));
    ++i;
  }
  report.sort_text("steps", "slowest_seconds");
  report.add("totals", {{"wall_seconds", most(costs, i, &StepCost::seconds)}});
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

std::string ReportedNumbers::judged(MPI_Comm communicator, const PipelineApplication& application,
                                    const deck::Deck& deck) const {
  if (!application.verdict) return "";
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  std::string line;
  if (rank == 0) {
    std::map<std::string, double> values;
    for (const Number& number : numbers_) values.emplace(number.name, number.value);
    line = application.verdict(values, deck);
  }
  return graph::broadcast(communicator, line);
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
