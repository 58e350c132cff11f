// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/program_plans.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "tessera/app/detail/application_schema.hpp"
#include "tessera/app/detail/series_plan.hpp"
#include "tessera/app/detail/transfers.hpp"
#include "tessera/app/machine_file.hpp"
#include "tessera/domain/text.hpp"
#include "tessera/group/cut.hpp"
#include "tessera/io/text_file.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::app {
namespace {

/// The name of the strategy that does not divide the pipeline.
constexpr const char* whole_name = "whole";

struct NamedStrategy {
  const char* name;
  group::Strategy strategy;
};
constexpr std::array strategies{
    NamedStrategy{"data", group::Strategy::data}, NamedStrategy{"task", group::Strategy::task},
    NamedStrategy{"mixed", group::Strategy::mixed}, NamedStrategy{"auto", group::Strategy::mixed}};

/// Returns the machine by which a run is estimated.
cost::MachineDescription machine_of(const RunSetup& setup) {
  const std::string file =
      setup.options.machine.empty() ? setup.deck.text_of("program.machine") : setup.options.machine;
  return file.empty() ? cost::generic_machine() : read_machine(file);
}

/// Returns what messages cost on so many ranks.
group::Communication communication_of(const cost::MachineDescription& machine, int rank_count, int threads) {
  const bool is_one_node = rank_count <= cost::ranks_per_node(machine, threads);
  return {is_one_node ? machine.within_node : machine.between_nodes.value_or(machine.within_node)};
}

std::string in_milliseconds(double seconds) { return fmt::format("{:.3g} ms", seconds * 1e3); }

group::GroupSchedule read_schedule(const group::TaskGraph& graph, const std::string& path) {
  const std::string text = io::read_text_file(path, "an allocation");
  try {
    group::GroupSchedule schedule = group::schedule_from_json(graph, text);
    // A file that was edited is no longer what its strategy has made, and its times are estimated anew.
    schedule.strategy = path;
    schedule.period = 0;
    group::check_groups_and_order(graph, schedule);
    return schedule;
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", path, error.what()));
  }
}

/// Returns a schedule that may have been edited, with the times that its groups and its order give. Arrays
/// travel in no time.
group::GroupSchedule with_estimated_times(const group::Program& program, const group::TaskGraph& graph,
                                          group::GroupSchedule schedule) {
  std::vector<double> free(static_cast<std::size_t>(schedule.ranks), 0.0), ends(graph.tasks().size(), 0.0);
  std::vector<group::ScheduledTask> tasks;
  for (group::TaskGroup& group : group::groups_of(program, schedule)) {
    double start = 0;
    for (const int edge : graph.edges_to(group.task))
      start =
          std::max(start, ends[static_cast<std::size_t>(graph.edges()[static_cast<std::size_t>(edge)].from)]);
    for (const int rank : group.ranks) start = std::max(start, free[static_cast<std::size_t>(rank)]);
    const double finish = start + graph.seconds(group.task, static_cast<double>(group.ranks.size()));
    for (const int rank : group.ranks) free[static_cast<std::size_t>(rank)] = finish;
    ends[static_cast<std::size_t>(group.task)] = finish;
    tasks.push_back({group.task, std::move(group.ranks), start, finish});
  }
  schedule.tasks = std::move(tasks);
  schedule.makespan = *std::ranges::max_element(ends);
  return schedule;
}

/// Gives a schedule the period of a stream: the longest time that a rank computes tasks of one item.
void set_period(const group::TaskGraph& graph, group::GroupSchedule& schedule) {
  std::vector<double> busy(static_cast<std::size_t>(schedule.ranks), 0.0);
  for (const group::ScheduledTask& task : schedule.tasks)
    for (const int rank : task.ranks) busy[static_cast<std::size_t>(rank)] += task.finish - task.start;
  schedule.period = *std::ranges::max_element(busy);
  schedule.lower_bound = group::period_bound(graph, schedule.ranks);
}

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

group::Program program_of(const RunSetup& setup) {
  group::Program program;
  setup.blame_deck([&] {
    const auto tasks = task_stages(setup.application, setup.deck, *setup.pipeline);
    const char* const key = setup.deck.is_set("groups") ? "groups" : "program.allocation";
    try {
      program = group::cut(*setup.pipeline, setup.schedule, tasks);
    } catch (const ScheduleError&) {
      throw;
    } catch (const InputError& error) {
      setup.deck.fail(key, error.what());
    }
  });
  return program;
}

group::Program undivided_program(const RunSetup& setup) {
  group::TaskStages whole{whole_name, {}};
  for (const ArrayDeclaration& array : setup.pipeline->arrays())
    if (!array.is_input() && !array.is_further_output) whole.stages.push_back(array.name);
  return group::cut(*setup.pipeline, setup.schedule, {whole});
}

ProgramPlans::ProgramPlans(const RunSetup& setup, const RunPlans& whole, int window)
    : setup_(setup), target_(whole.mine().target), rank_count_(whole.mine().rank_count), window_(window) {
  const MPI_Comm communicator = setup.session.communicator();
  target_.memory_bytes = setup.memory_limit();
  std::vector<std::string> decided(3);
  collectively(communicator, [&] {
    check_tasks(setup.deck, *setup.pipeline);
    program_ = program_of(setup);
    if (setup.session.rank() != 0) return;
    allocate(whole);
    decided = {group::to_json(graph_, schedule_), is_whole_ ? whole_name : "", std::to_string(window_)};
  });
  // Rank 0 alone reads files and estimates, so that all ranks have the same groups.
  broadcast(communicator, decided);
  collectively(communicator, [&] {
    if (setup.session.rank() != 0)
      graph_ = group::task_graph(program_, std::vector<cost::TaskCost>(program_.tasks().size()));
    schedule_ = group::schedule_from_json(graph_, decided[0]);
    is_whole_ = decided[1] == whole_name;
    window_ = std::stoi(decided[2]);
    if (!is_whole_) planner_ = make_planner();
  });
}

std::unique_ptr<group::ProgramPlanner> ProgramPlans::make_planner() const {
  std::unique_ptr<group::ProgramPlanner> planner;
  setup_.blame_deck([&] {
    try {
      planner = std::make_unique<group::ProgramPlanner>(
          program_, group::groups_of(program_, schedule_), target_, rank_count_,
          is_stream() ? group::stream_order(program_, schedule_, window_) : group::StreamOrder());
    } catch (const ScheduleError&) {
      throw;
    } catch (const InputError& error) {
      setup_.deck.fail("program.allocation", error.what());
    }
  });
  return planner;
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
  SeriesNeeds needs(setup_.application, setup_.deck);
  needs.add(plan_series(setup_.application, setup_.deck, *setup_.inputs.image(), target_.threads,
                        setup_.inputs.different()));
  const std::int64_t bytes = needs.bytes(setup_.deck.is_set("graph.window") ? window_ : 1, target_.threads);
  if (bytes <= target_.memory_bytes) return "";
  return fmt::format("needs {} on each rank, which may use {}", human_bytes(bytes),
                     human_bytes(target_.memory_bytes));
}

void ProgramPlans::limit_memory() {
  if (is_whole_ || target_.memory_bytes == 0) return;
  const std::string lack = lack_of_memory();
  if (lack.empty()) return;
  allocate_as(group::Strategy::data);
  bool lacks = !lack_of_memory().empty();
  is_whole_ = lacks && lack_of_memory_of_whole().empty();
  if (!is_whole_ && !setup_.deck.is_set("graph.window"))
    while (lacks && window_ > 1) {
      --window_;
      lacks = !lack_of_memory().empty();
    }
  std::string what = is_whole_ ? "the pipeline is not divided" : "all ranks compute each task";
  if (is_stream() && !is_whole_) what += fmt::format(", with graph.window={}", window_);
  remarks_.insert(remarks_.begin(), fmt::format("{}: {}", what, lack));
}

void ProgramPlans::allocate(const RunPlans& whole) {
  const deck::Deck& deck = setup_.deck;
  machine_ = machine_of(setup_);
  TaskCosts costs;
  setup_.blame_deck([&] {
    if (const std::string file = deck.text_of("program.costs"); !file.empty()) {
      measured_ = read_measured(file);
      costs = measured_costs(program_, measured_, file, target_.threads);
    } else {
      costs = estimated_costs(program_, target_, rank_count_, machine_);
    }
  });
  graph_ = group::task_graph(program_, costs.costs);
  remarks_ = costs.remarks;
  const bool has_machine = deck.is_set("program.machine") || !setup_.options.machine.empty();
  if (const std::string line = cost::difference_from_own(machine_); has_machine && !line.empty())
    remarks_.push_back(line);
  allocate_by(deck.text_of("program.allocation"), whole);
}

void ProgramPlans::allocate_by(const std::string& allocation, const RunPlans& whole) {
  const std::string wanted = allocation.empty() ? "auto" : allocation;
  const auto* named = std::ranges::find(strategies, wanted, &NamedStrategy::name);
  if (named != strategies.end()) {
    allocate_as(named->strategy);
    remarks_.insert(remarks_.begin(),
                    fmt::format("allocation '{}', {}", schedule_.strategy, times_text(schedule_)));
    if (wanted == "auto") {
      compare_with_whole(whole);
      limit_memory();
    }
    return;
  }
  std::vector<std::string> names{whole_name};
  for (const NamedStrategy& one : strategies) names.emplace_back(one.name);
  if (std::filesystem::path(wanted).extension() != ".json")
    setup_.deck.fail("program.allocation",
                     fmt::format("'{}' is neither {}, nor a file that ends in .json{}", wanted,
                                 fmt::join(names, ", "), suggestion(wanted, names)));
  schedule_ = with_estimated_times(program_, graph_, read_schedule(graph_, wanted));
  if (schedule_.ranks != rank_count_)
    setup_.deck.fail(
        "program.allocation",
        fmt::format("{} is an allocation of {} ranks, but there are {}: start as many, or allocate anew",
                    wanted, schedule_.ranks, rank_count_));
  // The bound of a file may be that of other costs.
  group::GroupSchedule given = std::move(schedule_);
  allocate_as(group::Strategy::data);
  given.lower_bound = schedule_.lower_bound;
  schedule_ = std::move(given);
  if (is_stream()) set_period(graph_, schedule_);
  remarks_.insert(remarks_.begin(), fmt::format("allocation from {}", wanted));
}

void ProgramPlans::allocate_as(group::Strategy strategy) {
  group::AllocationSettings settings;
  settings.strategy = strategy;
  settings.communication = communication_of(machine_, rank_count_, target_.threads);
  if (is_stream() && strategy == group::Strategy::mixed) {
    schedule_ = group::allocate_stream(graph_, rank_count_, settings.communication);
    return;
  }
  schedule_ = group::allocate(graph_, rank_count_, settings);
  if (is_stream()) set_period(graph_, schedule_);
}

std::optional<double> ProgramPlans::seconds_of_whole(const RunPlans& whole) {
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
  std::optional<double> seconds;
  setup_.blame_deck([&] { seconds = seconds_of_whole(whole); });
  if (!seconds) {
    remarks_.emplace_back("the undivided pipeline was not measured, and is not compared");
    return;
  }
  std::string end;
  if (*seconds <= schedule_.aim()) {
    const std::string lack = lack_of_memory_of_whole();
    is_whole_ = lack.empty();
    end = is_whole_ ? ", and is not divided" : ", but " + lack;
  }
  remarks_.insert(
      remarks_.begin(),
      fmt::format("the undivided pipeline is estimated to take {}{}{}", in_milliseconds(*seconds),
                  is_stream() ? " for each image, as ranks compute images of their own" : "", end));
}

}  // namespace tessera::app
