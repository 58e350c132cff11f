// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/run_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "tessera/app/detail/transfers.hpp"
#include "tessera/domain/element_type.hpp"
#include "tessera/pipeline/explain/explain.hpp"
#include "tessera/pipeline/plan/plan_nodes.hpp"
#include "tessera/pipeline/plan/plan_work.hpp"
#include "tessera/pipeline/planner/bands.hpp"

namespace tessera::app {
namespace {

/// A kind of work for which a run spends time; `rest` is the time outside phases and steps.
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

/// Returns the seconds that this rank spent for each Use. The last entry is the time of the whole run.
std::vector<double> own_times(const Plan& plan, const StepRecorder& recorder) {
  std::vector<double> seconds(use_count + 1, 0.0);
  const auto at = [&seconds](Use use) -> double& { return seconds[static_cast<std::size_t>(use)]; };
  for (const Phase phase : all_phases)
    at(phase == Phase::finish ? Use::finishing : Use::preparing) += recorder.total(phase).seconds;
  walk(plan.root, [&](const PlanNode& node) {
    at(use_of(node)) += recorder.totals()[static_cast<std::size_t>(node.id)].seconds;
  });
  const double explained = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  seconds.back() = recorder.wall_seconds();
  at(Use::rest) = std::max(0.0, seconds.back() - explained);
  return seconds;
}

/// Adds the table `time`, which divides the time of the run until the report is made. Also adds the time of
/// the run, and the share of it that is not in the rest, to the section `totals`.
void add_times(Report& report, MPI_Comm communicator, const Plan& plan, const StepRecorder& recorder) {
  const std::vector<std::vector<double>> ranks = gather(communicator, own_times(plan, recorder));
  if (ranks.empty()) return;
  std::vector<double> slowest(use_count + 1, 0.0), sum(use_count + 1, 0.0);
  for (const std::vector<double>& rank : ranks)
    for (std::size_t i = 0; i < rank.size(); ++i) {
      slowest[i] = std::max(slowest[i], rank[i]);
      sum[i] += rank[i];
    }
  for (std::size_t i = 0; i < use_count; ++i)
    report.add_row("time", {{"spent", std::string(use_names[i])},
                            {"slowest_seconds", slowest[i]},
                            {"mean_seconds", sum[i] / static_cast<double>(ranks.size())},
                            {"share", sum[i] / sum.back()}});
  report.add("totals", {{"wall_seconds", slowest.back()},
                        {"explained_share", 1 - sum[static_cast<std::size_t>(Use::rest)] / sum.back()}});
}

/// The cost of all calls of one step on one rank.
struct StepCost {
  std::int64_t calls = 0;
  double seconds = 0;
  std::int64_t points = 0;
  std::int64_t bytes = 0;
};
/// The points of one stage that one rank computes.
struct StageCost {
  std::int64_t points = 0;
  std::int64_t redundant_points = 0;
};
/// The cost of the whole run on one rank.
struct RankCost {
  double seconds = 0;
  double mpi_seconds = 0;
  std::int64_t messages = 0;
  std::int64_t message_bytes = 0;
  std::int64_t peak_bytes = 0;
};

bool waits_for_ranks(const PlanNode& node) {
  return std::holds_alternative<plan::Exchange>(node.step) ||
         std::holds_alternative<plan::FinishExchange>(node.step) ||
         std::holds_alternative<plan::Reduce>(node.step);
}

std::vector<StepCost> phase_costs(const Recorder& recorder) {
  std::vector<StepCost> costs;
  for (const Phase phase : all_phases)
    costs.push_back({recorder.total(phase).calls, recorder.total(phase).seconds, 0, 0});
  return costs;
}

/// Returns the costs of those parts on this rank whose names are given. Parts that have not begun cost
/// nothing.
std::vector<StepCost> part_costs(const StepNames& parts, const Recorder& recorder) {
  std::vector<StepCost> costs;
  for (const auto& [number, name] : parts) {
    const auto part = static_cast<std::size_t>(number);
    const Recorder::Total total =
        part < recorder.totals().size() ? recorder.totals()[part] : Recorder::Total();
    costs.push_back({total.calls, total.seconds, 0, 0});
  }
  return costs;
}

/// Returns the costs of all steps on this rank, by node id.
std::vector<StepCost> step_costs(const Algorithm& pipeline, const Plan& plan, const StepRecorder& recorder) {
  std::vector<StepCost> costs;
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
    if (waits_for_ranks(node)) cost.mpi_seconds += total.seconds;
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

/// Returns a row of the table `steps` without the amount of work. The row combines entry `i` of the lists of
/// all ranks.
Report::Row time_row(int node, const std::string& name, const std::vector<std::vector<StepCost>>& by_rank,
                     std::size_t i) {
  return {{"node", node},
          {"step", name},
          {"calls", by_rank.front()[i].calls},
          {"slowest_seconds", most(by_rank, i, &StepCost::seconds)},
          {"mean_seconds", sum(by_rank, i, &StepCost::seconds) / static_cast<double>(by_rank.size())}};
}

/// Adds a row to the table `steps` of a plan.
void add_step_row(Report& report, int node, const std::string& name,
                  const std::vector<std::vector<StepCost>>& by_rank, std::size_t i) {
  const double slowest = most(by_rank, i, &StepCost::seconds);
  const std::int64_t bytes = sum(by_rank, i, &StepCost::bytes);
  Report::Row row = time_row(node, name, by_rank, i);
  row.emplace_back("points", sum(by_rank, i, &StepCost::points));
  row.emplace_back("bytes", bytes);
  row.emplace_back("gigabytes_per_second", slowest > 0 ? static_cast<double>(bytes) * 1e-9 / slowest : 0.0);
  report.add_row("steps", row);
}

void add_step_table(Report& report, const Algorithm& pipeline, const Plan& plan,
                    const std::vector<std::vector<StepCost>>& phases,
                    const std::vector<std::vector<StepCost>>& steps) {
  for (const Phase phase : all_phases)
    add_step_row(report, node_of(phase), name_of(phase), phases, static_cast<std::size_t>(phase));
  walk(plan.root, [&](const PlanNode& node) {
    if (is_step(node))
      add_step_row(report, node.id, step_label(pipeline, node), steps, static_cast<std::size_t>(node.id));
  });
  report.sort_text("steps", "slowest_seconds");
}

void add_stage_table(Report& report, const Algorithm& pipeline, const Plan& plan,
                     const std::vector<std::vector<StageCost>>& by_rank) {
  for (int id = 0; id < pipeline.size(); ++id) {
    if (pipeline[id].is_input() || pipeline[id].is_spare) continue;
    const auto i = static_cast<std::size_t>(id);
    report.add_row("stages", {{"stage", pipeline[id].name},
                              {"type", std::string(name_of(pipeline[id].type))},
                              {"computed", std::string(name_of(plan.stages[i].placement))},
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
  const auto phases = gather(communicator, phase_costs(recorder));
  const auto steps = gather(communicator, step_costs(pipeline, plan, recorder));
  const auto stages = gather(communicator, stage_costs(plan));
  const auto ranks = gather(communicator, std::vector{rank_cost(pipeline, plan, recorder)});
  if (ranks.empty()) return;
  add_step_table(report, pipeline, plan, phases, steps);
  add_stage_table(report, pipeline, plan, stages);
  add_totals(report, ranks, stages);
}

void add_parts(Report& report, MPI_Comm communicator, const StepNames& parts, const Recorder& recorder) {
  const auto phases = gather(communicator, phase_costs(recorder));
  const auto costs = gather(communicator, part_costs(parts, recorder));
  const auto walls = gather(communicator, std::vector{StepCost{.seconds = recorder.wall_seconds()}});
  if (phases.empty()) return;
  for (const Phase phase : all_phases)
    report.add_row("steps",
                   time_row(node_of(phase), name_of(phase), phases, static_cast<std::size_t>(phase)));
  for (std::size_t i = 0; const auto& [number, name] : parts)
    report.add_row("steps", time_row(number, name.name, costs, i++));
  report.sort_text("steps", "slowest_seconds");
  report.add("totals", {{"wall_seconds", most(walls, 0, &StepCost::seconds)}});
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
  auto size = static_cast<int>(line.size());
  MPI_Bcast(&size, 1, MPI_INT, 0, communicator);
  line.resize(static_cast<std::size_t>(size));
  MPI_Bcast(line.data(), size, MPI_CHAR, 0, communicator);
  return line;
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
