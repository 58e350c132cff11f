// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/task_costs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "tessera/cost/estimate.hpp"
#include "tessera/deck/load.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/group/program_plan.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/planner/scheduled_pipeline.hpp"

namespace tessera::app {
namespace {

using deck::Tree;

/// Returns the number that a word is. Fails if it is none, or not positive.
template <class Number>
Number positive_number(const Tree& tree, const char* what) {
  Number number{};
  const char* const end = tree.text.data() + tree.text.size();
  const auto [rest, error] = std::from_chars(tree.text.data(), end, number);
  bool is_finite = true;
  if constexpr (std::is_floating_point_v<Number>) is_finite = std::isfinite(number);
  if (tree.kind != Tree::Kind::word || error != std::errc() || rest != end || !is_finite || !(number > 0))
    deck::fail(tree, fmt::format("'{}' is not {}", to_yaml(tree), what));
  return number;
}

/// Returns the seconds of a plan. Arrays come from memory and go to memory, so that their files do not count.
double seconds_in_memory(const Algorithm& pipeline, const Plan& plan,
                         const cost::MachineDescription& machine) {
  double seconds = 0;
  for (const cost::StepEstimate& step : cost::estimate(pipeline, plan, machine).steps)
    if (step.bound != cost::Bound::files) seconds += step.seconds;
  return seconds;
}

/// Returns the greater of the seconds of the first rank and of one in the middle, which stand for all ranks.
/// `plan_of` returns the plan of a rank.
template <class PlanOf>
double seconds_of_slowest(const Algorithm& pipeline, int ranks, const cost::MachineDescription& machine,
                          const PlanOf& plan_of) {
  double seconds = 0;
  for (int rank : {0, ranks / 2})
    seconds = std::max(seconds, seconds_in_memory(pipeline, plan_of(rank), machine));
  return seconds;
}

/// Returns whether a task took longer on the most ranks than on the fewest.
bool grows(const std::vector<cost::TimedRanks>& times) {
  const auto [fewest, most] = std::ranges::minmax_element(times, {}, &cost::TimedRanks::ranks);
  return most->seconds > fewest->seconds;
}

}  // namespace

TaskCosts measured_costs(const group::Program& program, const MeasuredTasks& measured,
                         const std::string& where) {
  TaskCosts result;
  double worst = 0;
  std::string worst_task;
  for (const group::ProgramTask& task : program.tasks()) {
    const auto found = measured.find(task.name);
    if (found == measured.end())
      throw InputError(
          fmt::format("{}: the task '{}' has no seconds: measure it with program.profile", where, task.name));
    const std::vector<cost::TimedRanks>& times = found->second;
    if (grows(times))
      result.remarks.push_back(
          fmt::format("the seconds of '{}' do not fall with the number of ranks, so that more ranks are "
                      "taken to be no use",
                      task.name));
    const cost::FittedCost fitted = cost::measured_task_cost(times);
    result.costs.push_back(fitted.cost);
    if (std::abs(fitted.largest_residual) <= worst) continue;
    worst = std::abs(fitted.largest_residual);
    worst_task = task.name;
  }
  result.remarks.push_back(fmt::format("costs of tasks from {}", where));
  if (!worst_task.empty())
    result.remarks.push_back(
        fmt::format("fitted by a + b/p; the largest error is {:.1f} %, of '{}'", 100 * worst, worst_task));
  return result;
}

TaskCosts estimated_costs(const group::Program& program, const Target& target, int rank_count,
                          const cost::MachineDescription& machine) {
  TaskCosts result;
  for (const group::ProgramTask& task : program.tasks()) {
    std::vector<cost::TimedRanks> times;
    for (int ranks : group::doubling_counts(rank_count)) {
      const ScheduledPipeline scheduled(task.pipeline, task.schedule, target, ranks);
      double seconds = seconds_of_slowest(task.pipeline, ranks, machine,
                                          [&](int rank) { return make_plan(scheduled, rank); });
      // More ranks than a task can use stay idle, and do not make it slower.
      if (!times.empty()) seconds = std::min(seconds, times.back().seconds);
      times.push_back({ranks, seconds});
    }
    result.costs.push_back(cost::TaskCost::table(std::move(times)));
  }
  result.remarks.emplace_back("costs of tasks estimated from their plans");
  return result;
}

double estimated_seconds(const Algorithm& pipeline, const Plans& plans,
                         const cost::MachineDescription& machine) {
  return seconds_of_slowest(pipeline, plans.rank_count(), machine, [&](int rank) { return plans.of(rank); });
}

std::string measured_text(const MeasuredTasks& measured, const std::vector<std::string>& remarks) {
  std::string text = "# The seconds of tasks, by their numbers of ranks.\n";
  for (const std::string& remark : remarks) text += "# " + remark + "\n";
  text += "tasks:\n";
  for (const auto& [task, times] : measured) {
    std::vector<std::string> entries;
    for (const cost::TimedRanks& time : times)
      entries.push_back(fmt::format("{}: {:.6g}", time.ranks, time.seconds));
    text += fmt::format("  {}: {{{}}}\n", task, fmt::join(entries, ", "));
  }
  return text;
}

MeasuredTasks read_measured(const std::string& path) {
  deck::Schema schema;
  schema.add({.name = "tasks",
              .type = deck::ValueType::tree,
              .help = "The seconds of each task, by numbers of ranks",
              .required = true});
  const deck::Deck file = deck::load(schema, {deck::read_source(path)});
  const Tree& tasks = file.get<Tree>("tasks");
  if (tasks.kind != Tree::Kind::map) deck::fail(tasks, "'tasks' is a map of tasks to their seconds");
  MeasuredTasks measured;
  for (std::size_t i = 0; i < tasks.keys.size(); ++i) {
    const Tree& times = tasks.items[i];
    if (times.kind != Tree::Kind::map || times.keys.empty())
      deck::fail(times,
                 fmt::format("the seconds of '{}' are a map of numbers of ranks, such as {{1: 0.5, 2: 0.3}}",
                             tasks.keys[i].text));
    for (std::size_t k = 0; k < times.keys.size(); ++k)
      measured[tasks.keys[i].text].push_back(
          {positive_number<int>(times.keys[k], "a number of ranks"),
           positive_number<double>(times.items[k], "a positive number of seconds")});
  }
  return measured;
}

}  // namespace tessera::app
