// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/task_graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "domain/random.hpp"
#include "messages.hpp"
#include "tessera/domain/error.hpp"

namespace {

using namespace tessera;
using cost::TaskCost;
using group::Edge;
using group::Task;
using group::TaskGraph;
using group::TaskId;
using test::expect_message;

Edge edge(int from, int to, const std::string& array, std::int64_t bytes) {
  return {TaskId(from), TaskId(to), array, bytes};
}

Task task(const std::string& name) { return {name, TaskCost::amdahl(1, 0), "work", {}}; }

TEST(TaskGraph, RefusesWhatIsNoProgram) {
  const auto refusal = [](const std::vector<Edge>& edges) {
    return test::message_of<InternalError>([&] { TaskGraph({task("a"), task("b"), task("c")}, edges); });
  };
  expect_message(refusal({edge(1, 3, "image", 1)}), {"task 1", "task 3", "3 tasks"});
  expect_message(refusal({edge(-1, 0, "image", 1)}), {"task -1", "task 0"});
  expect_message(refusal({edge(0, 1, "", 0), edge(1, 2, "", 0), edge(2, 1, "", 0)}), {"tasks 1, 2", "wait"});
  expect_message(refusal({edge(0, 0, "", 0)}), {"tasks 0", "wait"});
}

/// A fork of three branches with two levels, and a join. The second task of the last branch takes `seconds`.
TaskGraph forks(double seconds) {
  std::vector<Task> tasks{{"end", TaskCost::amdahl(1, 0), "min", {}}};
  std::vector<Edge> edges;
  for (const std::string branch : {"0", "1", "2"}) {
    const int err = static_cast<int>(tasks.size()), diff = err + 1;
    tasks.push_back({"err" + branch, TaskCost::amdahl(branch == "2" ? seconds : 4, 0.5), "sum", {}});
    tasks.push_back({"diff" + branch, TaskCost::amdahl(2, 0), "square", {}});
    edges.push_back(edge(diff, err, "d", 100));
    edges.push_back(edge(err, 0, "e", 100));
  }
  return {tasks, edges};
}

TEST(TaskGraph, KnowsOrderAndLevels) {
  const TaskGraph graph = forks(4);
  std::vector<int> order;
  for (const TaskId task : graph.topological_order()) order.push_back(to_int(task));
  EXPECT_EQ(order, (std::vector<int>{2, 1, 4, 3, 6, 5, 0}));
  EXPECT_EQ(graph.levels().values(), (std::vector<int>{2, 1, 0, 1, 0, 1, 0}));
  EXPECT_EQ(graph.edges_to(TaskId(0)),
            (std::vector<Edge>{edge(1, 0, "e", 100), edge(3, 0, "e", 100), edge(5, 0, "e", 100)}));
  EXPECT_EQ(graph.edges_from(TaskId(6)), (std::vector<Edge>{edge(6, 5, "d", 100)}));
  EXPECT_EQ(TaskGraph({{"a", {}, "", 3}, task("b")}, {}).most_ranks(TaskId(0), 8), 3);
}

TEST(GraphCosts, CriticalPathCountsTasksAndEdges) {
  const TaskGraph graph = forks(6);
  const group::Allocation ranks(7, 2);
  // diff 1 s, err2 4.5 s, end 0.5 s.
  EXPECT_DOUBLE_EQ(group::critical_path(graph, ranks, {}), 6);
  // Each of both edges sends 50 bytes from each rank.
  const group::Communication communication{{0.5, 0.01}, group::Travel::between_ranks};
  EXPECT_DOUBLE_EQ(group::critical_path(graph, ranks, communication), 6 + 2 * (0.5 + 0.5));
}

/// Counts the overlaps of blocks one by one, in units in which all blocks are whole.
TEST(Redistribution, ClosedFormsAreWhatCountingGives) {
  for (std::int64_t from = 1; from <= 24; ++from)
    for (std::int64_t to = 1; to <= 24; ++to) {
      std::int64_t most = 0;
      std::vector<std::int64_t> received(static_cast<std::size_t>(to));
      for (std::int64_t sender = 0; sender < from; ++sender) {
        std::int64_t sent = 0;
        for (std::int64_t receiver = 0; receiver < to; ++receiver) {
          // Sender s has [s * to, (s + 1) * to), and receiver r has [r * from, (r + 1) * from).
          if (std::max(sender * to, receiver * from) >= std::min((sender + 1) * to, (receiver + 1) * from))
            continue;
          ++sent;
          ++received[static_cast<std::size_t>(receiver)];
        }
        most = std::max(most, sent);
      }
      most = std::max(most, *std::ranges::max_element(received));
      // Without bytes these are the messages of the busiest rank, and without latency its bytes.
      const int senders = static_cast<int>(from), receivers = static_cast<int>(to);
      EXPECT_DOUBLE_EQ(group::seconds_between_groups({{1, 0}}, 240, senders, receivers),
                       static_cast<double>(most));
      EXPECT_DOUBLE_EQ(group::seconds_between_groups({{0, 1}}, 240, senders, receivers),
                       240.0 / std::min(senders, receivers));
    }
}

TEST(Redistribution, TakesTheTimeOfTheBusiestRank) {
  const group::Communication ranks{{1, 0.5}, group::Travel::between_ranks},
      hosts{{1, 0.5}, group::Travel::between_hosts};
  // The only sender has four messages of 20 bytes each.
  EXPECT_DOUBLE_EQ(group::seconds_between_groups(ranks, 80, 1, 4), 4 + 40);
  EXPECT_DOUBLE_EQ(group::seconds_between_groups(ranks, 80, 4, 1), 4 + 40);
  EXPECT_DOUBLE_EQ(group::seconds_between_groups(ranks, 80, 4, 4), 1 + 10);
  EXPECT_DOUBLE_EQ(group::seconds_between_groups(hosts, 80, 4, 4), 1 + 40);
  EXPECT_EQ(group::seconds_between_groups(ranks, 0, 4, 2), 0);
}

TEST(Redistribution, NothingTravelsOnTheSameRanks) {
  const group::Communication ranks{{1, 0.5}, group::Travel::between_ranks},
      hosts{{1, 0.5}, group::Travel::between_hosts};
  const std::vector<int> pair{2, 3}, turned{3, 2}, more{2, 3, 4};
  EXPECT_EQ(group::travel_seconds(ranks, 80, pair, pair), 0);
  EXPECT_EQ(group::travel_seconds(ranks, 80, pair, turned), group::seconds_between_groups(ranks, 80, 2, 2));
  EXPECT_EQ(group::travel_seconds(ranks, 80, pair, more), group::seconds_between_groups(ranks, 80, 2, 3));
  EXPECT_EQ(group::travel_seconds(hosts, 80, pair, more), 0);
  EXPECT_EQ(group::travel_seconds(hosts, 80, pair, turned), group::seconds_between_groups(hosts, 80, 2, 2));
}

}  // namespace
