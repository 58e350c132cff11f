// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/allocation.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "group/exhaustive_search.hpp"
#include "messages.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/group/detail/starting_allocations.hpp"
#include "tessera/group/schedule.hpp"
#include "tessera/group/task_graph.hpp"

namespace {

using namespace tessera;
using cost::TaskCost;
using group::Allocation;
using group::AllocationSettings;
using group::GroupSchedule;
using group::Strategy;
using group::Task;
using group::TaskGraph;
using group::TaskId;

AllocationSettings settings_of(Strategy strategy) {
  AllocationSettings settings;
  settings.strategy = strategy;
  return settings;
}

Allocation counts_of(const GroupSchedule& schedule) {
  Allocation counts(schedule.tasks.size());
  for (const group::ScheduledTask& task : schedule.tasks)
    counts[task.task] = static_cast<int>(task.ranks.size());
  return counts;
}

TEST(Allocation, DataAndTaskParallelismAreWhatTheySay) {
  std::vector<Task> tasks;
  for (int i = 0; i < 6; ++i) tasks.push_back({std::to_string(i), TaskCost::amdahl(1, 0.1), "", {}});
  tasks[5].most_ranks = 2;
  const TaskGraph graph(tasks, {});
  const GroupSchedule data = group::allocate(graph, 4, settings_of(Strategy::data));
  EXPECT_EQ(counts_of(data), (Allocation{4, 4, 4, 4, 4, 2}));
  EXPECT_DOUBLE_EQ(data.makespan, 5 * 0.325 + 0.55);
  const GroupSchedule task = group::allocate(graph, 4, settings_of(Strategy::task));
  EXPECT_EQ(counts_of(task), Allocation(6, 1));
  EXPECT_DOUBLE_EQ(task.makespan, 2);
  EXPECT_EQ(task.strategy, "task");
  EXPECT_EQ(data.strategy, "data");
}

TEST(Allocation, DividesRanksAmongEqualTasks) {
  // The stereo program of the paper: the number of ranks divided by that of the tasks of a level.
  std::vector<Task> tasks{{"min", TaskCost::amdahl(0.1, 0), "min", {}}};
  std::vector<group::Edge> edges;
  for (int i = 0; i < 16; ++i) {
    const std::string number = std::to_string(i);
    const TaskId diff{2 * i + 1}, err{2 * i + 2};
    tasks.push_back({"diff" + number, TaskCost::amdahl(1, 0.02), "square", {}});
    tasks.push_back({"err" + number, TaskCost::amdahl(4, 0.02), "sum", {}});
    edges.push_back({diff, err, "d", 1000});
    edges.push_back({err, TaskId(0), "e", 1000});
  }
  const TaskGraph graph(tasks, edges);
  AllocationSettings settings;
  settings.communication = {{1e-5, 1e-8}, group::Travel::between_ranks};
  const GroupSchedule schedule = group::allocate(graph, 64, settings);
  group::check_schedule(graph, settings.communication, schedule);
  EXPECT_NEAR(schedule.makespan, 5 * (0.02 + 0.98 / 4) + 0.1 / 64, 1e-3);
  // An error image is computed where its difference image is, so that this does not travel.
  IdVector<TaskId, std::vector<int>> ranks(tasks.size());
  for (const group::ScheduledTask& task : schedule.tasks) ranks[task.task] = task.ranks;
  for (int i = 1; i < ranks.size(); i += 2) EXPECT_EQ(ranks[TaskId(i)], ranks[TaskId(i + 1)]);
}

TEST(Allocation, IsTheSameEachTime) {
  test::Random random(21);
  const TaskGraph graph = test::small_graph(random, 20, 1000);
  AllocationSettings settings;
  settings.communication = {{1e-3, 1e-5}, group::Travel::between_ranks};
  EXPECT_EQ(group::allocate(graph, 37, settings), group::allocate(graph, 37, settings));
}

TEST(Allocation, OfNothingIsEmpty) {
  for (const Strategy strategy : {Strategy::data, Strategy::task, Strategy::mixed})
    EXPECT_TRUE(group::allocate(TaskGraph(), 3, settings_of(strategy)).tasks.empty());
  test::expect_message(test::message_of<InputError>([] { group::allocate(TaskGraph(), 0); }),
                       {"0 ranks", "least 1"});
  const TaskGraph free({{"start", {}, "", {}}, {"stop", {}, "", {}}}, {{TaskId(0), TaskId(1), "", 8}});
  EXPECT_EQ(group::allocate(free, 2).makespan, 0);
}

TEST(Allocation, BoundIsThePathOrTheArea) {
  // A task that cannot be shared, and then perfect ones.
  std::vector<Task> tasks{{"alone", TaskCost::amdahl(1, 1), "", {}}};
  std::vector<group::Edge> edges;
  for (int i = 1; i < 5; ++i) {
    tasks.push_back({std::to_string(i), TaskCost::amdahl(1, 0), "", {}});
    edges.push_back({TaskId(0), TaskId(i), "", 0});
  }
  tasks[4].most_ranks = 2;
  const TaskGraph graph(tasks, edges);
  EXPECT_DOUBLE_EQ(group::makespan_bound(graph, 2), 5.0 / 2);
  EXPECT_DOUBLE_EQ(group::makespan_bound(graph, 8), 1 + 1.0 / 2);
  EXPECT_EQ(group::allocate(graph, 8).lower_bound, group::makespan_bound(graph, 8));
}

TEST(StartingAllocations, GiveRanksToTheCriticalPath) {
  // One long task beside many short ones.
  std::vector<Task> tasks{{"long", TaskCost::amdahl(8, 0), "", {}}};
  for (int i = 0; i < 8; ++i) tasks.push_back({std::to_string(i), TaskCost::amdahl(1, 0), "", {}});
  const TaskGraph graph(tasks, {});
  const auto starts = group::detail::grown_on_paths(graph, 8);
  EXPECT_NE(std::ranges::find(starts, Allocation{4, 1, 1, 1, 1, 1, 1, 1, 1}), starts.end());
  for (std::size_t i = 1; i < starts.size(); ++i)
    EXPECT_LE(group::critical_path(graph, starts[i], {}), group::critical_path(graph, starts[i - 1], {}));
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

TEST(SmallPrograms, BoundHoldsForTheBestSchedule) {
  for_each_small_program([](const SmallProgram& program) {
    EXPECT_LE(group::makespan_bound(program.graph, program.ranks), program.shortest * (1 + 1e-9));
  });
}

TEST(SmallPrograms, StrategiesAreNearTheBest) {
  double sum = 0;
  for_each_small_program([&](const SmallProgram& program) {
    std::vector<double> makespans;
    for (const Strategy strategy : {Strategy::data, Strategy::task, Strategy::mixed}) {
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

}  // namespace
