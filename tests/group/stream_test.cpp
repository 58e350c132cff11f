// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/allocation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "group/exhaustive_search.hpp"
#include "messages.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/group/schedule.hpp"

namespace {

using namespace tessera;
using cost::TaskCost;
using group::GroupSchedule;
using group::Task;
using group::TaskGraph;
using group::TaskId;

/// Finds the least period by trying all divisions of the tasks into groups and of the ranks among these.
class AllDivisions {
 public:
  AllDivisions(const TaskGraph& graph, int ranks) : graph_(graph), ranks_(ranks), group_of_(graph.size()) {}

  double least_period() {
    divide(TaskId(0), 0);
    return best_;
  }

 private:
  void divide(TaskId task, int groups) {
    if (!group_of_.contains(task))
      return share(std::vector<int>(static_cast<std::size_t>(groups), 1), 0, ranks_ - groups);
    for (int group = 0; group <= std::min(groups, ranks_ - 1); ++group) {
      group_of_[task] = group;
      divide(TaskId(to_int(task) + 1), std::max(groups, group + 1));
    }
  }

  void share(std::vector<int> ranks, std::size_t group, int left) {
    if (left < 0) return;
    if (group == ranks.size()) {
      std::vector<double> loads(ranks.size());
      for (const TaskId task : group_of_.ids()) {
        const auto own = static_cast<std::size_t>(group_of_[task]);
        loads[own] += graph_.seconds(task, graph_.most_ranks(task, ranks[own]));
      }
      best_ = std::min(best_, *std::ranges::max_element(loads));
      return;
    }
    for (int more = 0; more <= left; ++more) {
      share(ranks, group + 1, left - more);
      ++ranks[group];
    }
  }

  const TaskGraph& graph_;
  int ranks_;
  IdVector<TaskId, int> group_of_;
  double best_ = std::numeric_limits<double>::infinity();
};

TEST(Stream, IsNearTheBestDivision) {
  test::Random random(8);
  double sum = 0;
#ifdef TESSERA_TEST_FEWER
  constexpr int rounds = 20;
#else
  constexpr int rounds = 100;
#endif
  for (int round = 0; round < rounds; ++round) {
    const TaskGraph graph = test::small_graph(random, random.small(1, 6));
    const int ranks = random.small(1, 8);
    const GroupSchedule stream = group::allocate_stream(graph, ranks);
    group::check_schedule(graph, {}, stream);
    const double least = AllDivisions(graph, ranks).least_period();
    EXPECT_LE(group::period_bound(graph, ranks), least * (1 + 1e-9)) << round;
    EXPECT_GE(stream.period, least * (1 - 1e-9)) << round;
    EXPECT_LE(stream.period, least * 1.25) << round;
    sum += stream.period / least;
  }
  EXPECT_LE(sum / rounds, 1.02);
}

TEST(Stream, PipelinesAChain) {
  // Three tasks that cannot be shared, one of which takes as long as both others.
  const TaskGraph graph({{"read", TaskCost::amdahl(1, 1), "", {}},
                         {"work", TaskCost::amdahl(2, 1), "", {}},
                         {"write", TaskCost::amdahl(1, 1), "", {}}},
                        {{TaskId(0), TaskId(1), "image", 100}, {TaskId(1), TaskId(2), "image", 100}});
  const group::Communication network{{0.25, 0}, group::Travel::between_ranks};
  const GroupSchedule three = group::allocate_stream(graph, 3, network);
  EXPECT_DOUBLE_EQ(three.period, 2);
  EXPECT_DOUBLE_EQ(three.makespan, 4.5);
  EXPECT_DOUBLE_EQ(three.lower_bound, 2);
  EXPECT_EQ(three.strategy, "task");
  const GroupSchedule two = group::allocate_stream(graph, 2, network);
  EXPECT_DOUBLE_EQ(two.period, 2);
  EXPECT_DOUBLE_EQ(two.aim(), 2);
  // With two groups, the last task waits for its turn behind the first task of another item.
  group::check_schedule(graph, network, two);
  const GroupSchedule one = group::allocate_stream(graph, 1, network);
  EXPECT_EQ(one.strategy, "data");
  EXPECT_DOUBLE_EQ(one.period, 4);
  EXPECT_DOUBLE_EQ(one.makespan, 4);
}

TEST(Stream, PerfectTasksUseAllRanksAtOnce) {
  std::vector<Task> tasks;
  for (int i = 0; i < 5; ++i) tasks.push_back({std::to_string(i), TaskCost::amdahl(1, 0), "", {}});
  const GroupSchedule stream = group::allocate_stream(TaskGraph(tasks, {}), 16);
  EXPECT_NEAR(stream.period, 5.0 / 16, 1e-12);
  EXPECT_EQ(stream.strategy, "data");
}

TEST(Stream, OfNothingIsEmpty) {
  EXPECT_TRUE(group::allocate_stream(TaskGraph(), 2).tasks.empty());
  test::expect_message(test::message_of<InputError>([] { group::allocate_stream(TaskGraph(), 0); }),
                       {"0 ranks", "least 1"});
}

}  // namespace
