// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/allocation.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "group/exhaustive_search.hpp"
#include "messages.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/group/graph_costs.hpp"
#include "tessera/group/schedule.hpp"

namespace {

using namespace tessera;
using cost::TaskCost;
using group::AllocationSettings;
using group::GroupSchedule;
using group::Strategy;
using group::Task;
using group::TaskGraph;

AllocationSettings settings_of(Strategy strategy) {
  AllocationSettings settings;
  settings.strategy = strategy;
  return settings;
}

std::vector<int> counts_of(const GroupSchedule& schedule) {
  std::vector<int> counts(schedule.tasks.size());
  for (const group::ScheduledTask& task : schedule.tasks)
    counts[static_cast<std::size_t>(task.task)] = static_cast<int>(task.ranks.size());
  return counts;
}

TEST(Allocation, DataAndTaskParallelismAreWhatTheySay) {
  std::vector<Task> tasks;
  for (int i = 0; i < 6; ++i) tasks.push_back({std::to_string(i), TaskCost::amdahl(1, 0.1), "", {}});
  tasks[5].most_ranks = 2;
  const TaskGraph graph(tasks, {});
  const GroupSchedule data = group::allocate(graph, 4, settings_of(Strategy::data));
  EXPECT_EQ(counts_of(data), (std::vector<int>{4, 4, 4, 4, 4, 2}));
  EXPECT_DOUBLE_EQ(data.makespan, 5 * 0.325 + 0.55);
  const GroupSchedule task = group::allocate(graph, 4, settings_of(Strategy::task));
  EXPECT_EQ(counts_of(task), std::vector<int>(6, 1));
  EXPECT_DOUBLE_EQ(task.makespan, 2);
  EXPECT_EQ(task.strategy, "task");
  EXPECT_EQ(data.strategy, "data");
}

TEST(Allocation, DividesRanksOfAWellBalancedGraph) {
  // The stereo program of the paper: the number of ranks divided by that of the tasks of a level.
  std::vector<Task> tasks{{"min", TaskCost::amdahl(0.1, 0), "min", {}}};
  std::vector<group::NamedEdge> edges;
  for (int i = 0; i < 16; ++i) {
    const std::string number = std::to_string(i);
    tasks.push_back({"diff" + number, TaskCost::amdahl(1, 0.02), "square", {}});
    tasks.push_back({"err" + number, TaskCost::amdahl(4, 0.02), "sum", {}});
    edges.push_back({"diff" + number, "err" + number, "d", 1000});
    edges.push_back({"err" + number, "min", "e", 1000});
  }
  const TaskGraph graph(tasks, edges);
  AllocationSettings settings;
  settings.communication = {{1e-5, 1e-8}, group::Travel::between_ranks};
  const GroupSchedule schedule = group::allocate(graph, 64, settings);
  group::check_schedule(graph, settings.communication, schedule);
  EXPECT_NEAR(schedule.makespan, 5 * (0.02 + 0.98 / 4) + 0.1 / 64, 1e-3);
  // An error image is computed where its difference image is, so that this does not travel.
  std::vector<std::vector<int>> ranks(tasks.size());
  for (const group::ScheduledTask& task : schedule.tasks)
    ranks[static_cast<std::size_t>(task.task)] = task.ranks;
  for (std::size_t i = 1; i < ranks.size(); i += 2) EXPECT_EQ(ranks[i], ranks[i + 1]);
}

TEST(Allocation, IsTheSameEachTime) {
  test::Random random(21);
  const TaskGraph graph = test::small_graph(random, 20, 1000);
  AllocationSettings settings;
  settings.communication = {{1e-3, 1e-5}, group::Travel::between_ranks};
  EXPECT_EQ(group::allocate(graph, 37, settings), group::allocate(graph, 37, settings));
}

TEST(Allocation, OfNothingIsEmpty) {
  for (const Strategy strategy :
       {Strategy::data, Strategy::task, Strategy::tsas, Strategy::cpr, Strategy::search, Strategy::mixed})
    EXPECT_TRUE(group::allocate(TaskGraph(), 3, settings_of(strategy)).tasks.empty());
  test::expect_message(test::message_of<InputError>([] { group::allocate(TaskGraph(), 0); }),
                       {"0 ranks", "least 1"});
  const TaskGraph free({{"start", {}, "", {}}, {"stop", {}, "", {}}}, {{"start", "stop", "", 8}});
  EXPECT_EQ(group::allocate(free, 2).makespan, 0);
}

TEST(Allocation, BoundsOfProcessors) {
  EXPECT_EQ(group::processor_bound(1), 1);
  EXPECT_EQ(group::processor_bound(2), 2);
  EXPECT_EQ(group::processor_bound(64), 32);
  EXPECT_EQ(group::processor_bound(1024), 512);
  EXPECT_DOUBLE_EQ(group::performance_factor(64, 32), (1 + 64.0 / 33) * 2.25 * 4);
  group::Relaxation relaxation;
  relaxation.ranks_of_tasks = {1, 1.4, 1.6, 2.9, 3.1, 5.9, 6.1, 60};
  std::vector<Task> tasks;
  for (int i = 0; i < 8; ++i) tasks.push_back({std::to_string(i), {}, "", {}});
  tasks[6].most_ranks = 7;
  EXPECT_EQ(group::rounded_to_powers(TaskGraph(tasks, {}), 64, relaxation, 32),
            (std::vector<int>{1, 1, 2, 2, 4, 4, 4, 32}));
}

#ifdef TESSERA_TEST_FEWER
constexpr int small_programs = 8;
#else
constexpr int small_programs = 60;
#endif

/// A small program, with the best schedule that trying all of them has found.
struct SmallProgram {
  TaskGraph graph;
  int ranks = 1;
  double shortest = 0;
};

template <class Check>
void for_each_small_program(const Check& check) {
  test::Random random(77);
  for (int round = 0; round < small_programs; ++round) {
    const int tasks = random.small(1, 6);
    // All numbers of ranks for few tasks, and few ranks for many tasks: the time is exponential in both.
    const int most = std::array{8, 8, 8, 6, 4, 4}[static_cast<std::size_t>(tasks - 1)];
    const TaskGraph graph = test::small_graph(random, tasks);
    const int ranks = round % 10 == 9 ? 8 : random.small(1, most);
    const double mixed = group::allocate(graph, ranks).makespan;
    SCOPED_TRACE(testing::Message() << "round " << round << ", " << tasks << " tasks, " << ranks << " ranks");
    check(SmallProgram{graph, ranks, test::shortest_makespan(graph, ranks, mixed * (1 + 1e-9))});
  }
}

TEST(SmallPrograms, BoundsHoldForTheBestSchedule) {
  int windows_help = 0;
  for_each_small_program([&](const SmallProgram& program) {
    const double plain = group::relax(program.graph, program.ranks).bound;
    const double windows = group::relax_with_windows(program.graph, program.ranks, 4).bound;
    EXPECT_LE(plain, program.shortest * (1 + 1e-9));
    EXPECT_LE(windows, program.shortest * (1 + 1e-9));
    EXPECT_GE(windows, plain);
    windows_help += windows > plain * 1.01 ? 1 : 0;
  });
  EXPECT_GT(windows_help, 0);
}

TEST(SmallPrograms, StrategiesAreNearTheBest) {
  double sum = 0;
  for_each_small_program([&](const SmallProgram& program) {
    std::vector<double> makespans;
    for (const Strategy strategy :
         {Strategy::data, Strategy::task, Strategy::tsas, Strategy::cpr, Strategy::search, Strategy::mixed}) {
      const GroupSchedule schedule = group::allocate(program.graph, program.ranks, settings_of(strategy));
      group::check_schedule(program.graph, {}, schedule);
      EXPECT_GE(schedule.makespan, program.shortest * (1 - 1e-9));
      makespans.push_back(schedule.makespan);
    }
    EXPECT_EQ(makespans.back(), *std::ranges::min_element(makespans));
    EXPECT_LE(makespans.back(), program.shortest * 1.1);
    sum += makespans.back() / program.shortest;
  });
  EXPECT_LE(sum / small_programs, 1.01);
}

TEST(SmallPrograms, PrioritisedSchedulingKeepsItsPromise) {
  for_each_small_program([](const SmallProgram& program) {
    const GroupSchedule schedule = group::allocate(program.graph, program.ranks, settings_of(Strategy::tsas));
    const int bound = group::processor_bound(program.ranks);
    const std::vector<int> counts = counts_of(schedule);
    for (const int count : counts) EXPECT_LE(count, bound);
    // While a task waits for ranks, at most bound - 1 ranks are idle.
    const double path = group::critical_path(program.graph, counts, {});
    const double area = group::average_area(program.graph, counts, program.ranks);
    EXPECT_LE(schedule.makespan, (path + area * program.ranks / (program.ranks - bound + 1)) * (1 + 1e-9));
    EXPECT_LE(schedule.makespan, group::performance_factor(program.ranks, bound) *
                                     group::relax(program.graph, program.ranks).value * (1 + 1e-9));
  });
}

}  // namespace
