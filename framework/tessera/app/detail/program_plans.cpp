// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/program_plans.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "tessera/app/detail/series_plan.hpp"
#include "tessera/app/machine_file.hpp"
#include "tessera/domain/text.hpp"
#include "tessera/graph/transfer.hpp"
#include "tessera/group/program.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::app {
namespace {

/// The number of images of a series that a rank has memory for, unless the deck gives another one.
constexpr int usual_window = 4;

/// The name of the strategy that does not divide the pipeline.
constexpr const char* whole_name = "whole";

constexpr std::pair<std::string_view, group::Strategy> strategies[] = {{"data", group::Strategy::data},
                                                                       {"task", group::Strategy::task},
                                                                       {"mixed", group::Strategy::mixed},
                                                                       {"auto", group::Strategy::mixed}};

/// Returns the machine that estimates assume.
cost::MachineDescription machine_of(const RunSetup& setup) {
  const std::string file =
      setup.options.machine.empty() ? setup.deck.text_of("program.machine") : setup.options.machine;
  return file.empty() ? cost::generic_machine() : read_machine(file);
}

/// Returns what `make` returns. Reports errors of the user as errors of the key `key`, unless they are about
/// the schedule.
template <class Make>
auto made_by(const deck::Deck& deck, const char* key, const Make& make) {
  try {
    return make();
  } catch (const ScheduleError&) {
    throw;
  } catch (const InputError& error) {
    deck.fail(key, error.what());
  }
}

/// Adds a stage, and the stages that belong to it, such as those of a step of a chain.
void add_stage(std::vector<std::string>& stages, const deck::Tree& name,
               const PipelineApplication& application, const Algorithm& pipeline) {
  if (name.kind != deck::Tree::Kind::word) deck::fail(name, "'groups': the name of a stage is a word");
  stages.push_back(name.text);
  if (!application.stages_within) return;
  for (const auto& [stage, of] : application.stages_within(pipeline))
    if (of == name.text) stages.push_back(stage);
}

std::vector<group::TaskStages> stages_in_deck(const PipelineApplication& application,
                                              const deck::Tree& groups, const Algorithm& pipeline) {
  if (groups.kind != deck::Tree::Kind::map)
    deck::fail(groups, "'groups' is a map of tasks to their stages, such as {edges: [laplace, sobel]}");
  std::vector<group::TaskStages> tasks;
  for (std::size_t i = 0; i < groups.keys.size(); ++i) {
    group::TaskStages task{groups.keys[i].text, {}};
    if (task.task == "whole")
      deck::fail(groups.keys[i], "'groups': 'whole' is the undivided pipeline: name the task otherwise");
    const deck::Tree& stages = groups.items[i];
    if (stages.kind == deck::Tree::Kind::list)
      for (const deck::Tree& name : stages.items) add_stage(task.stages, name, application, pipeline);
    else
      add_stage(task.stages, stages, application, pipeline);
    tasks.push_back(std::move(task));
  }
  return tasks;
}

/// Returns the tasks that the deck names, or else those that the application names. Throws InputError if
/// there are none, or if the key `groups` is faulty.
std::vector<group::TaskStages> task_stages(const PipelineApplication& application, const deck::Deck& deck,
                                           const Algorithm& pipeline) {
  if (deck.is_set("groups")) return stages_in_deck(application, deck.get<deck::Tree>("groups"), pipeline);
  std::vector<group::TaskStages> tasks;
  if (application.tasks) tasks = application.tasks(deck);
  if (tasks.empty())
    deck.fail("program.allocation",
              "this program has no tasks of its own: name some with groups, such as "
              "'groups={first: [stage, stage], second: [stage]}', or leave it out");
  return tasks;
}

/// Throws InputError if a pipeline cannot be divided into tasks because it has loops, or if a deck asks for a
/// profile of tasks, but not for tasks.
void check_tasks(const deck::Deck& deck, const Algorithm& pipeline) {
  if (deck.is_set("program.profile") && deck.text_of("program.allocation") == "whole")
    deck.fail("program.profile",
              "the undivided pipeline has no tasks to measure: write program.allocation=data");
  if (!pipeline.loops().empty())
    throw InputError(fmt::format(
        "the loop '{}' is in a pipeline that is divided into tasks, which do not tell how loops end: write "
        "program.allocation=whole",
        pipeline.loops().front().name));
}

/// Returns the pipeline of a run, cut into the tasks that the deck names or that the application has.
group::Program program_of(const RunSetup& setup) {
  const auto tasks = task_stages(setup.application, setup.deck, *setup.pipeline);
  return made_by(setup.deck, setup.deck.is_set("groups") ? "groups" : "program.allocation",
                 [&] { return group::cut(*setup.pipeline, setup.schedule, tasks); });
}

/// Gives tasks times: they begin in their order, each as soon as it can. Arrays travel in no time.
void set_times(const group::TaskGraph& graph, int rank_count, std::vector<group::ScheduledTask>& tasks) {
  IdVector<int, double> free(rank_count, 0.0);
  IdVector<group::TaskId, double> ends(graph.size(), 0.0);
  for (group::ScheduledTask& task : tasks) {
    task.start = 0;
    for (const group::Edge& edge : graph.edges_to(task.task))
      task.start = std::max(task.start, ends[edge.from]);
    for (const int rank : task.ranks) task.start = std::max(task.start, free[rank]);
    task.finish = task.start + graph.seconds(task.task, static_cast<double>(task.ranks.size()));
    for (const int rank : task.ranks) free[rank] = task.finish;
    ends[task.task] = task.finish;
  }
}

/// Gives a schedule the period of a stream: the longest time that a rank computes tasks of one item.
void set_period(const group::TaskGraph& graph, group::GroupSchedule& schedule) {
  std::vector<double> busy(static_cast<std::size_t>(schedule.ranks), 0.0);
  for (const group::ScheduledTask& task : schedule.tasks)
    for (const int rank : task.ranks) busy[static_cast<std::size_t>(rank)] += task.finish - task.start;
  schedule.period = *std::ranges::max_element(busy);
  schedule.lower_bound = group::period_bound(graph, schedule.ranks);
}

std::string in_milliseconds(double seconds) { return fmt::format("{:.3g} ms", seconds * 1e3); }

/// Returns a sentence about the times of a schedule.
std::string times_text(const group::GroupSchedule& schedule) {
  if (schedule.period <= 0)
    return fmt::format("estimated to take {}; no allocation takes less than {}",
                       in_milliseconds(schedule.makespan), in_milliseconds(schedule.lower_bound));
  return fmt::format(
      "estimated to take {} for each image ({:.4g} images per second), and {} from its start to its end; no "
      "groups take less than {} for each image",
      in_milliseconds(schedule.period), 1 / schedule.period, in_milliseconds(schedule.makespan),
      in_milliseconds(schedule.lower_bound));
}

}  // namespace

group::Program undivided_program(const RunSetup& setup) {
  group::TaskStages whole{whole_name, {}};
  for (const ArrayDeclaration& array : setup.pipeline->arrays())
    if (!array.is_input() && !array.is_further_output()) whole.stages.push_back(array.name);
  return group::cut(*setup.pipeline, setup.schedule, {whole});
}

ProgramPlans::ProgramPlans(const RunSetup& setup, const RunPlans& whole, bool is_stream)
    : setup_(setup),
      target_(whole.mine().target),
      rank_count_(whole.mine().rank_count),
      decision_{{}, false, is_stream ? usual_window : 0} {
  if (is_stream && setup.deck.is_set("graph.window"))
    decision_.window = static_cast<int>(setup.deck.get<std::int64_t>("graph.window"));
  const MPI_Comm communicator = setup.session.communicator();
  target_.memory_bytes = memory_limit(setup.deck);
  const auto try_together = [&](const auto& act) {
    collectively(communicator, [&] { blame_deck(setup.deck, act); });
  };
  try_together([&] {
    check_tasks(setup.deck, *setup.pipeline);
    program_ = program_of(setup);
    if (setup.session.rank() == 0) allocate(whole);
  });
  // Rank 0 alone reads files and estimates, so that all ranks have the same groups.
  decision_ = graph::broadcast(communicator, decision_);
  try_together([&] {
    if (!is_whole() || setup.deck.is_set("program.profile")) planner_ = make_planner();
  });
}

std::unique_ptr<group::ProgramPlanner> ProgramPlans::make_planner() const {
  return made_by(setup_.deck, "program.allocation", [&] {
    return std::make_unique<group::ProgramPlanner>(program_, schedule(), target_, decision_.window);
  });
}

void ProgramPlans::allocate(const RunPlans& whole) {
  const deck::Deck& deck = setup_.deck;
  machine_ = machine_of(setup_);
  TaskCosts costs;
  if (const std::string file = deck.text_of("program.costs"); !file.empty()) {
    measured_ = read_measured(file);
    costs = measured_costs(program_, measured_, file, target_.threads);
  } else {
    costs = estimated_costs(program_, target_, rank_count_, machine_);
  }
  graph_ = group::task_graph(program_, costs.costs);
  remarks_ = costs.remarks;
  const bool has_machine = deck.is_set("program.machine") || !setup_.options.machine.empty();
  if (const std::string line = cost::difference_from_own(machine_); has_machine && !line.empty())
    remarks_.push_back(line);
  const std::string asked = deck.text_of("program.allocation"), wanted = asked.empty() ? "auto" : asked;
  const auto* named = std::ranges::find(strategies, wanted, [](const auto& one) { return one.first; });
  if (named == std::end(strategies)) return take_from_file(wanted);
  allocate_as(named->second);
  remark_first(fmt::format("allocation '{}', {}", schedule().strategy, times_text(schedule())));
  if (wanted != "auto") return;
  compare_with_whole(whole);
  limit_memory();
}

void ProgramPlans::take_from_file(const std::string& path) {
  std::vector<std::string> names{whole_name};
  for (const auto& [name, strategy] : strategies) names.emplace_back(name);
  const auto refuse = [&](const std::string& what) { setup_.deck.fail("program.allocation", what); };
  if (std::filesystem::path(path).extension() != ".json")
    refuse(fmt::format("'{}' is neither {}, nor a file that ends in .json{}", path, fmt::join(names, ", "),
                       suggestion(path, names)));
  const group::GroupSchedule given = read_allocation(graph_, path);
  if (given.ranks != rank_count_)
    refuse(fmt::format("{} is an allocation of {} ranks, but there are {}: start as many, or allocate anew",
                       path, given.ranks, rank_count_));
  group::GroupSchedule& schedule = decision_.schedule;
  schedule.strategy = path;
  schedule.ranks = rank_count_;
  schedule.lower_bound = group::makespan_bound(graph_, rank_count_);
  schedule.tasks = group::tasks_in_order(program_, given);
  set_times(graph_, rank_count_, schedule.tasks);
  group::put_in_order(schedule);
  if (is_stream()) set_period(graph_, schedule);
  remark_first(fmt::format("allocation from {}", path));
}

void ProgramPlans::allocate_as(group::Strategy strategy) {
  const bool is_one_node = rank_count_ <= cost::ranks_per_node(machine_, target_.threads);
  group::AllocationSettings settings;
  settings.strategy = strategy;
  settings.communication = {is_one_node ? machine_.within_node
                                        : machine_.between_nodes.value_or(machine_.within_node)};
  const bool is_mixed_stream = is_stream() && strategy == group::Strategy::mixed;
  decision_.schedule = is_mixed_stream ? group::allocate_stream(graph_, rank_count_, settings.communication)
                                       : group::allocate(graph_, rank_count_, settings);
  if (is_stream() && !is_mixed_stream) set_period(graph_, decision_.schedule);
}

std::optional<double> ProgramPlans::seconds_of_whole(const RunPlans& whole) const {
  // In a series that is not divided, each rank computes images by itself.
  const int ranks = is_stream() ? 1 : rank_count_;
  double seconds = 0;
  if (setup_.deck.is_set("program.costs")) {
    const auto times = measured_.tasks.find(whole_name);
    if (times == measured_.tasks.end()) return std::nullopt;
    seconds = cost::measured_task_cost(times->second).cost.seconds(ranks);
  } else if (is_stream()) {
    const Plans alone(*setup_.pipeline, setup_.schedule, whole.mine().target, 1);
    seconds = estimated_seconds(*setup_.pipeline, alone, machine_);
  } else {
    seconds = estimated_seconds(*setup_.pipeline, whole.all(), machine_);
  }
  return is_stream() ? seconds / rank_count_ : seconds;
}

void ProgramPlans::compare_with_whole(const RunPlans& whole) {
  const std::optional<double> seconds = seconds_of_whole(whole);
  if (!seconds) {
    remarks_.emplace_back("the undivided pipeline was not measured, and is not compared");
    return;
  }
  std::string end;
  if (*seconds <= schedule().aim()) {
    const std::string lack = lack_of_memory_of_whole();
    decision_.is_whole = lack.empty();
    end = is_whole() ? ", and is not divided" : ", but " + lack;
  }
  remark_first(fmt::format("the undivided pipeline is estimated to take {}{}{}", in_milliseconds(*seconds),
                           is_stream() ? " for each image, as ranks compute images of their own" : "", end));
}

std::string ProgramPlans::lack_of_memory() const {
  const auto planner = make_planner();
  try {
    for (int rank = 0; rank < rank_count_; ++rank) static_cast<void>(planner->plan(rank));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string ProgramPlans::lack_of_memory_of_whole() const {
  // A run that is not divided keeps the limit by bands. In a series each rank computes images of its own.
  if (!is_stream() || target_.memory_bytes == 0) return "";
  SeriesNeeds needs(setup_.application, setup_.deck, rank_count_);
  needs.add(plan_series(setup_.application, setup_.deck, *setup_.inputs.image(), target_.threads,
                        setup_.inputs.different()));
  const std::int64_t bytes =
      needs.bytes(setup_.deck.is_set("graph.window") ? decision_.window : 1, target_.threads);
  if (bytes <= target_.memory_bytes) return "";
  return fmt::format("needs {} on each rank, which may use {}", human_bytes(bytes),
                     human_bytes(target_.memory_bytes));
}

void ProgramPlans::limit_memory() {
  if (is_whole() || target_.memory_bytes == 0) return;
  const std::string lack = lack_of_memory();
  if (lack.empty()) return;
  allocate_as(group::Strategy::data);
  bool lacks = !lack_of_memory().empty();
  decision_.is_whole = lacks && lack_of_memory_of_whole().empty();
  const bool may_shrink = !is_whole() && !setup_.deck.is_set("graph.window");
  while (lacks && may_shrink && decision_.window > 1) {
    --decision_.window;
    lacks = !lack_of_memory().empty();
  }
  std::string what = is_whole() ? "the pipeline is not divided" : "all ranks compute each task";
  if (is_stream() && !is_whole()) what += fmt::format(", with graph.window={}", decision_.window);
  remark_first(fmt::format("{}: {}", what, lack));
}

}  // namespace tessera::app
