// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/program_plans.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "tessera/app/detail/program_keys.hpp"
#include "tessera/app/detail/task_costs.hpp"
#include "tessera/app/detail/transfers.hpp"
#include "tessera/app/machine_file.hpp"
#include "tessera/domain/nearest.hpp"
#include "tessera/group/allocation.hpp"
#include "tessera/group/cut.hpp"
#include "tessera/group/program_schedule.hpp"
#include "tessera/group/schedule_json.hpp"
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

std::string milliseconds(double seconds) { return fmt::format("{:.3g} ms", seconds * 1e3); }

group::GroupSchedule read_schedule(const group::TaskGraph& graph, const std::string& path) {
  const std::string text = io::read_text_file(path, "an allocation");
  try {
    return group::schedule_from_json(graph, text);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", path, error.what()));
  }
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

ProgramPlans::ProgramPlans(const RunSetup& setup, const RunPlans& whole)
    : setup_(setup), target_(whole.mine().target), rank_count_(whole.mine().rank_count) {
  const MPI_Comm communicator = setup.session.communicator();
  target_.memory_bytes = setup.memory_limit();
  std::vector<std::string> decided(2);
  collectively(communicator, [&] {
    check_program_keys(setup.application, setup.deck, setup.options, *setup.pipeline);
    program_ = program_of(setup);
    if (setup.session.rank() != 0) return;
    allocate(whole);
    decided = {group::to_json(graph_, schedule_), is_whole_ ? whole_name : ""};
  });
  // Rank 0 alone reads files and estimates, so that all ranks have the same groups.
  broadcast(communicator, decided);
  collectively(communicator, [&] {
    if (setup.session.rank() != 0)
      graph_ = group::task_graph(program_, std::vector<cost::TaskCost>(program_.tasks().size()));
    schedule_ = group::schedule_from_json(graph_, decided[0]);
    is_whole_ = decided[1] == whole_name;
    setup.blame_deck([&] {
      planner_ = std::make_unique<group::ProgramPlanner>(program_, group::groups_of(program_, schedule_),
                                                         target_, rank_count_);
    });
  });
}

void ProgramPlans::allocate(const RunPlans& whole) {
  const deck::Deck& deck = setup_.deck;
  setup_.blame_deck([&] {
    TaskCosts costs;
    if (const std::string file = deck.text_of("program.costs"); !file.empty())
      costs = measured_costs(program_, read_measured(file), file);
    else
      costs = estimated_costs(program_, target_, rank_count_, machine_of(setup_));
    graph_ = group::task_graph(program_, costs.costs);
    remarks_ = costs.remarks;
  });
  if (const std::string line = cost::difference_from_own(machine_of(setup_));
      !line.empty() && !setup_.options.only_plans() && deck.is_set("program.machine"))
    remarks_.push_back(line);
  allocate_by(deck.text_of("program.allocation"), whole);
}

void ProgramPlans::allocate_by(const std::string& allocation, const RunPlans& whole) {
  const std::string wanted = allocation.empty() || allocation == whole_name ? "auto" : allocation;
  const auto* named = std::ranges::find(strategies, wanted, &NamedStrategy::name);
  if (named != strategies.end()) {
    const cost::MachineDescription machine = machine_of(setup_);
    group::AllocationSettings settings;
    settings.strategy = named->strategy;
    settings.communication = communication_of(machine, rank_count_, target_.threads);
    schedule_ = group::allocate(graph_, rank_count_, settings);
    remarks_.insert(remarks_.begin(),
                    fmt::format("allocation '{}', estimated to take {}; no allocation takes less than {}",
                                schedule_.strategy, milliseconds(schedule_.makespan),
                                milliseconds(schedule_.lower_bound)));
    if (wanted == "auto") compare_with_whole(whole);
    return;
  }
  std::vector<std::string> names{whole_name};
  for (const NamedStrategy& one : strategies) names.emplace_back(one.name);
  if (std::filesystem::path(wanted).extension() != ".json")
    setup_.deck.fail("program.allocation",
                     fmt::format("'{}' is neither {}, nor a file that ends in .json{}", wanted,
                                 fmt::join(names, ", "), suggestion(wanted, names)));
  schedule_ = read_schedule(graph_, wanted);
  if (schedule_.ranks != rank_count_)
    setup_.deck.fail(
        "program.allocation",
        fmt::format("{} is an allocation of {} ranks, but there are {}: start as many, or allocate anew",
                    wanted, schedule_.ranks, rank_count_));
  remarks_.insert(remarks_.begin(), fmt::format("allocation from {}", wanted));
}

void ProgramPlans::compare_with_whole(const RunPlans& whole) {
  double seconds = 0;
  if (const std::string file = setup_.deck.text_of("program.costs"); !file.empty()) {
    const MeasuredTasks measured = read_measured(file);
    if (!measured.contains(whole_name)) return;
    group::Program one;
    one.add(whole_name, *setup_.pipeline);
    seconds = measured_costs(one, measured, file).costs.front().seconds(rank_count_);
  } else {
    seconds = estimated_seconds(*setup_.pipeline, whole.all(), machine_of(setup_));
  }
  is_whole_ = seconds <= schedule_.makespan;
  remarks_.insert(remarks_.begin(),
                  fmt::format("the undivided pipeline is estimated to take {}{}", milliseconds(seconds),
                              is_whole_ ? ", and is not divided" : ""));
}

}  // namespace tessera::app
