// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/task_costs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "tessera/cost/estimate.hpp"
#include "tessera/deck/load.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/domain/text.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/planner/scheduled_pipeline.hpp"

namespace tessera::app {
namespace {

using deck::Tree;

/// Returns the number that a word is. Throws InputError if the word is not a number, or if the number is less
/// than `least`. `what` describes the number that is expected.
template <class Number>
Number number_in(const Tree& tree, const char* what, Number least) {
  Number number{};
  const char* const end = tree.text.data() + tree.text.size();
  const auto [rest, error] = std::from_chars(tree.text.data(), end, number);
  bool is_finite = true;
  if constexpr (std::is_floating_point_v<Number>) is_finite = std::isfinite(number);
  if (tree.kind != Tree::Kind::word || error != std::errc() || rest != end || !is_finite || number < least)
    deck::fail(tree, fmt::format("'{}' is not {}", to_yaml(tree), what));
  return number;
}

/// Returns the greater of the seconds of the first rank and of one in the middle, which stand for all ranks.
/// `plan_of` returns the plan of a rank. Arrays come from memory and go to memory, so that their files do not
/// count.
template <class PlanOf>
double seconds_of_slowest(const Algorithm& pipeline, int ranks, const cost::MachineDescription& machine,
                          const PlanOf& plan_of) {
  double slowest = 0;
  for (int rank : ranks < 2 ? std::vector{0} : std::vector{0, ranks / 2}) {
    double seconds = 0;
    for (const cost::StepEstimate& step : cost::estimate(pipeline, plan_of(rank), machine).steps)
      if (step.bound != cost::Bound::files) seconds += step.seconds;
    slowest = std::max(slowest, seconds);
  }
  return slowest;
}

/// Returns the cost of a task that was measured. Adds a remark if more ranks do not make it faster.
cost::FittedCost fitted_cost(const std::string& task, const MeasuredTasks& measured, const std::string& where,
                             std::vector<std::string>& remarks) {
  const auto found = measured.tasks.find(task);
  if (found == measured.tasks.end())
    throw InputError(
        fmt::format("{}: the task '{}' has no seconds: measure it with program.profile", where, task));
  const auto [fewest, most] = std::ranges::minmax_element(found->second, {}, &cost::TimedRanks::ranks);
  if (most->seconds > fewest->seconds)
    remarks.push_back(fmt::format(
        "the seconds of '{}' do not fall with the number of ranks, so more ranks are assumed not to help",
        task));
  try {
    return cost::measured_task_cost(found->second);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: the task '{}': {}", where, task, error.what()));
  }
}

/// Returns the cost of a task as it is estimated from its plans.
cost::TaskCost estimated_cost(const group::ProgramTask& task, Target target, int rank_count,
                              const cost::MachineDescription& machine) {
  // The plans of the tasks check memory when they are made.
  target.memory_bytes = 0;
  std::vector<cost::TimedRanks> times;
  std::optional<ScheduleError> misfit;
  for (int ranks : cost::doubling_counts(rank_count)) {
    try {
      const ScheduledPipeline scheduled(task.pipeline, task.schedule, target, ranks);
      double seconds = seconds_of_slowest(task.pipeline, ranks, machine,
                                          [&](int rank) { return make_plan(scheduled, rank); });
      // More ranks than a task can use stay idle, and do not make it slower. The least number of ranks that
      // the schedule fits also stands for one rank.
      if (times.empty() && ranks > 1) times.push_back({1, seconds * ranks});
      if (!times.empty()) seconds = std::min(seconds, times.back().seconds);
      times.push_back({ranks, seconds});
    } catch (const ScheduleError& error) {
      misfit = ScheduleError(error.key, fmt::format("the task '{}': {}", task.name, error.what()));
    }
  }
  if (times.empty()) throw *misfit;
  return cost::TaskCost::table(std::move(times));
}

}  // namespace

TaskCosts measured_costs(const group::Program& program, const MeasuredTasks& measured,
                         const std::string& where, int threads) {
  TaskCosts result;
  result.remarks.push_back(fmt::format("costs of tasks from {}", where));
  if (!measured.processor.empty() && measured.processor != cost::own_processor())
    result.remarks.push_back(
        fmt::format("the costs of tasks are those of another machine ({}), and are used all the same",
                    measured.processor));
  if (measured.threads > 0 && measured.threads != threads)
    result.remarks.push_back(fmt::format("the costs of tasks were measured with {} per rank, not {}",
                                         counted(measured.threads, "thread"), threads));
  double worst = 0;
  std::string worst_task;
  for (const group::ProgramTask& task : program.tasks()) {
    const cost::FittedCost fitted = fitted_cost(task.name, measured, where, result.remarks);
    result.costs.push_back(fitted.cost);
    if (std::abs(fitted.largest_residual) <= worst) continue;
    worst = std::abs(fitted.largest_residual);
    worst_task = task.name;
  }
  if (!worst_task.empty())
    result.remarks.push_back(
        fmt::format("fitted by a + b/p; the largest error is {:.1f} %, of '{}'", 100 * worst, worst_task));
  return result;
}

TaskCosts estimated_costs(const group::Program& program, const Target& target, int rank_count,
                          const cost::MachineDescription& machine) {
  TaskCosts result;
  for (const group::ProgramTask& task : program.tasks())
    result.costs.push_back(estimated_cost(task, target, rank_count, machine));
  result.remarks.emplace_back("costs of tasks estimated from their plans");
  return result;
}

double estimated_seconds(const Algorithm& pipeline, const Plans& plans,
                         const cost::MachineDescription& machine) {
  return seconds_of_slowest(pipeline, plans.rank_count(), machine, [&](int rank) { return plans.of(rank); });
}

std::string measured_text(const MeasuredTasks& measured) {
  std::string text = fmt::format(
      "# The seconds of tasks, by their numbers of ranks, and the machine.\nprocessor: {}\nthreads: "
      "{}\ntasks:\n",
      deck::to_yaml_text(measured.processor), measured.threads);
  for (const auto& [task, times] : measured.tasks) {
    std::vector<std::string> entries;
    for (const cost::TimedRanks& time : times)
      entries.push_back(fmt::format("{}: {:.6g}", time.ranks, time.seconds));
    text += fmt::format("  {}: {{{}}}\n", deck::to_yaml_text(task), fmt::join(entries, ", "));
  }
  return text;
}

MeasuredTasks read_measured(const std::string& path) {
  deck::Schema schema;
  schema.add({.name = "tasks",
              .type = deck::ValueType::tree,
              .help = "The seconds of each task, by numbers of ranks",
              .required = true});
  schema.add({.name = "processor", .type = deck::ValueType::text, .help = "The model of the processors"});
  schema.add({.name = "threads",
              .type = deck::ValueType::integer,
              .help = "The threads of a rank",
              .minimum = 0,
              .maximum = 1 << 20});
  const deck::Deck file = deck::load(schema, {deck::read_source(path)});
  const Tree& tasks = file.get<Tree>("tasks");
  if (tasks.kind != Tree::Kind::map) deck::fail(tasks, "'tasks' is a map of tasks to their seconds");
  constexpr double least_seconds = std::numeric_limits<double>::denorm_min();
  MeasuredTasks measured;
  measured.processor = file.text_of("processor");
  if (file.is_set("threads")) measured.threads = static_cast<int>(file.get<std::int64_t>("threads"));
  for (std::size_t i = 0; i < tasks.keys.size(); ++i) {
    const Tree& times = tasks.items[i];
    if (times.kind != Tree::Kind::map || times.keys.empty())
      deck::fail(times,
                 fmt::format("the seconds of '{}' are a map of numbers of ranks, such as {{1: 0.5, 2: 0.3}}",
                             tasks.keys[i].text));
    for (std::size_t k = 0; k < times.keys.size(); ++k)
      measured.tasks[tasks.keys[i].text].push_back(
          {number_in(times.keys[k], "a number of ranks", 1),
           number_in(times.items[k], "a positive number of seconds", least_seconds)});
  }
  return measured;
}

namespace {

/// Returns a member of the entry of a task. Throws InputError if there is none.
const Tree& member(const Tree& task, const std::string& key) {
  const Tree* const found = task.find(key);
  if (found == nullptr) deck::fail(task, fmt::format("the entry of a task has no '{}'", key));
  return *found;
}

group::TaskId task_in(const group::TaskGraph& graph, const Tree& tree) {
  std::vector<std::string> names;
  for (const group::Task& task : graph.tasks()) names.push_back(task.name);
  const auto found = std::ranges::find(names, tree.text);
  if (found != names.end()) return static_cast<group::TaskId>(found - names.begin());
  const std::string meant = suggestion(tree.text, names);
  deck::fail(tree, fmt::format("there is no task '{}'{}", to_yaml(tree),
                               meant.empty() ? fmt::format(", but {}", fmt::join(names, ", ")) : meant));
}

std::vector<int> ranks_in(const Tree& task, int rank_count) {
  std::vector<int> ranks;
  for (const Tree& range : member(task, "ranks").items) {
    if (range.items.size() != 2) deck::fail(range, "'ranks' expects ranges [begin, end]");
    const int begin = number_in(range.items[0], "a rank", 0), end = number_in(range.items[1], "a rank", 0);
    if (begin > end || end > rank_count)
      deck::fail(range, fmt::format("ranges lie within [0, {}], and begin before they end", rank_count));
    for (int rank = begin; rank < end; ++rank) ranks.push_back(rank);
    // A list of more ranks than there are has one of them twice.
    if (std::ssize(ranks) > rank_count) deck::fail(range, "'ranks' has a rank twice");
  }
  return ranks;
}

}  // namespace

group::GroupSchedule read_allocation(const group::TaskGraph& graph, const std::string& path) {
  deck::Schema schema;
  const auto number = [&](const char* name, const char* help, double least, double most) {
    schema.add({.name = name,
                .type = deck::ValueType::integer,
                .help = help,
                .required = true,
                .minimum = least,
                .maximum = most});
  };
  number("format", "The format of the file", group::schedule_format, group::schedule_format);
  number("ranks", "The number of ranks", 1, 1 << 24);
  schema.add({.name = "tasks", .type = deck::ValueType::tree, .help = "The tasks", .required = true});
  const deck::Deck file = deck::load_declared(schema, {deck::read_source(path, "allocation")});
  group::GroupSchedule schedule;
  schedule.ranks = static_cast<int>(file.get<std::int64_t>("ranks"));
  for (const Tree& task : file.get<Tree>("tasks").items)
    schedule.tasks.push_back(
        {.task = task_in(graph, member(task, "task")),
         .ranks = ranks_in(task, schedule.ranks),
         .start = number_in(member(task, "start"), "a number", std::numeric_limits<double>::lowest())});
  group::put_in_order(schedule);
  try {
    group::check_groups_and_order(graph, schedule);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", path, error.what()));
  }
  return schedule;
}

}  // namespace tessera::app
