// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/relaxation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "domain/random.hpp"
#include "group/exhaustive_search.hpp"
#include "messages.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/group/graph_costs.hpp"

namespace {

using namespace tessera;
using cost::TaskCost;
using group::Relaxation;
using group::Task;
using group::TaskGraph;

double value_of(const TaskGraph& graph, int ranks, std::span<const double> ranks_of_tasks) {
  return std::max(group::average_area(graph, ranks_of_tasks, ranks),
                  group::critical_path(graph, ranks_of_tasks));
}

/// Returns the least value over the ranks of the tasks from `task` on. The value is a maximum of functions
/// that are convex in the logarithm of each number of ranks, and so is its least value over the others: one
/// ternary search lies in another one.
double least_value(const TaskGraph& graph, int ranks, std::vector<double>& ranks_of_tasks, std::size_t task) {
  if (task == ranks_of_tasks.size()) return value_of(graph, ranks, ranks_of_tasks);
  double low = 0, high = std::log(graph.most_ranks(static_cast<int>(task), ranks));
  const auto at = [&](double logarithm) {
    ranks_of_tasks[task] = std::exp(logarithm);
    return least_value(graph, ranks, ranks_of_tasks, task + 1);
  };
  double least = std::min(at(low), at(high));
  for (int step = 0; step < 46; ++step) {
    const double left = low + (high - low) / 3, right = high - (high - low) / 3;
    const double at_left = at(left), at_right = at(right);
    least = std::min({least, at_left, at_right});
    (at_left > at_right ? low : high) = at_left > at_right ? left : right;
  }
  return least;
}

TEST(Relaxation, IsWhatSearchingFinds) {
  test::Random random(3);
#ifdef TESSERA_TEST_FEWER
  constexpr int rounds_of_three = 0;
#else
  constexpr int rounds_of_three = 3;
#endif
  for (int round = 0; round < 30 + rounds_of_three; ++round) {
    const int tasks = round < 30 ? 2 : 3;
    std::vector<Task> list;
    std::vector<group::NamedEdge> edges;
    for (int task = 0; task < tasks; ++task) {
      list.push_back({std::to_string(task),
                      TaskCost::amdahl(random.real(0.1, 5), random.chance(30) ? 0 : random.real(0, 0.5)),
                      "",
                      {}});
      if (task > 0 && random.chance(60))
        edges.push_back({std::to_string(random.small(0, task - 1)), std::to_string(task), "", 0});
    }
    const TaskGraph graph(list, edges);
    const int ranks = random.small(1, 40);
    const Relaxation relaxation = group::relax(graph, ranks);
    std::vector<double> searched(list.size(), 1);
    const double least = least_value(graph, ranks, searched, 0);
    EXPECT_NEAR(relaxation.value / least, 1, 1e-6) << "round " << round;
    EXPECT_LE(relaxation.bound, least * (1 + 1e-9)) << "round " << round;
    EXPECT_LE(relaxation.gap(), 1e-6) << "round " << round;
    EXPECT_NEAR(value_of(graph, ranks, relaxation.ranks_of_tasks), relaxation.value, 1e-9 * least);
  }
}

TEST(Relaxation, UsesTheRanksThatAPathNeeds) {
  // One long task beside many short ones: the long one gets more ranks than 1, as the ranks are enough for
  // that.
  std::vector<Task> tasks{{"long", TaskCost::amdahl(8, 0), "", {}}};
  for (int i = 0; i < 8; ++i) tasks.push_back({std::to_string(i), TaskCost::amdahl(1, 0), "", {}});
  const Relaxation relaxation = group::relax(TaskGraph(tasks, {}), 8);
  EXPECT_NEAR(relaxation.value, 2, 1e-5);
  EXPECT_GE(relaxation.ranks_of_tasks[0], 3.99);
}

TEST(Relaxation, OfNothingIsNothing) {
  EXPECT_EQ(group::relax(TaskGraph(), 4).value, 0);
  const Relaxation free =
      group::relax(TaskGraph({{"start", {}, "", {}}, {"stop", {}, "", {}}}, {{"start", "stop", "", 0}}), 4);
  EXPECT_EQ(free.value, 0);
  EXPECT_EQ(free.ranks_of_tasks, (std::vector<double>{1, 1}));
  test::expect_message(test::message_of<InputError>([] { group::relax(TaskGraph(), 0); }),
                       {"0 ranks", "least 1"});
}

TEST(Relaxation, WindowsKnowThatLevelsAreApart) {
  // A task that cannot be shared, and then four perfect ones: nothing of the latter can run beside the
  // former.
  std::vector<Task> tasks{{"alone", TaskCost::amdahl(1, 1), "", {}}};
  std::vector<group::NamedEdge> edges;
  for (const std::string name : {"a", "b", "c", "d"}) {
    tasks.push_back({name, TaskCost::amdahl(1, 0), "", {}});
    edges.push_back({"alone", name, "", 0});
  }
  const TaskGraph graph(tasks, edges);
  EXPECT_NEAR(group::relax(graph, 4).value, 1.25, 2e-6);
  const Relaxation windows = group::relax_with_windows(graph, 4, 3);
  EXPECT_NEAR(windows.value, 2, 1e-5);
  EXPECT_LE(windows.gap(), 1e-6);
}

TEST(Relaxation, TravelLengthensTasks) {
  const TaskGraph graph({{"a", TaskCost::amdahl(1, 0), "", {}}, {"b", TaskCost::amdahl(1, 0), "", {}}},
                        {{"a", "b", "image", 1000}});
  const group::Communication communication{{0.01, 1e-4}, group::Travel::between_ranks};
  // Each task sends or receives 1000 bytes, that is 0.1 s shared by its ranks, in messages that start in 0.01
  // s.
  EXPECT_NEAR(group::relax_with_travel(graph, 4, communication).value, 2 * (0.01 + 1.1 / 4), 1e-5);
}

TEST(Relaxation, ReachesTheGapForHundredsOfTasks) {
  test::Random random(9);
  for (const int tasks : {6, 40, 150}) {
    for (const int ranks : {1, 2, 33, 4096}) {
      const TaskGraph graph = test::small_graph(random, tasks);
      const Relaxation relaxation = group::relax(graph, ranks);
      EXPECT_LE(relaxation.gap(), 1e-6) << tasks << " tasks, " << ranks << " ranks";
      EXPECT_LE(relaxation.bound, relaxation.value);
    }
  }
}

}  // namespace
